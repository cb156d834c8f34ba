#include <gtest/gtest.h>

#include <string>

#include "src/report/registry.h"

namespace narrowgauge {
namespace {

// Returns what a cell with this text becomes.
std::string Write(const std::string& cell) {
  Report report;
  report.tables = {{"rows", "", {{"x", ""}}, {{cell}}}};
  const std::string text = internal::kMarkdownReport.write(report);
  const std::string before = "| x |\n| :--- |\n| ";
  const std::string after = " |\n";
  EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

TEST(MarkdownReportTest, MarkupInCellsIsEscaped) {
  EXPECT_EQ(Write("a|b"), "a\\|b");
  EXPECT_EQ(Write("*a* `b` ~c~"), "\\*a\\* \\`b\\` \\~c\\~");
  EXPECT_EQ(Write("<b> &amp;"), "\\<b> \\&amp;");
  EXPECT_EQ(Write("C:\\x"), "C:\\\\x");
  EXPECT_EQ(Write("[a](b)"), "[a\\](b)");
  EXPECT_EQ(Write("two\nlines"), "two\\\\nlines");
}

TEST(MarkdownReportTest, KeysAndUnitsStayReadable) {
  EXPECT_EQ(Write("max_abs_err [dB]"), "max_abs_err [dB]");
  EXPECT_EQ(Write("__init__"), "\\_\\_init\\_\\_");
}

}  // namespace
}  // namespace narrowgauge
