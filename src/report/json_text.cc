#include "src/report/json_text.h"

#include <string_view>

#include "src/base/utf8.h"
#include "src/report/number_text.h"

namespace narrowgauge::internal {
namespace {

using nlohmann::ordered_json;

std::string QuotedString(std::string_view text) {
  return ordered_json(ReplaceInvalidUtf8(text)).dump();
}

void Append(const ordered_json& value, std::size_t indent, std::string& text);

// Writes what stands between two brackets, one item a line.
template <typename AppendKey>
void AppendItems(const ordered_json& value, std::size_t indent, AppendKey append_key,
                 std::string& text) {
  std::string_view separator = "\n";
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += separator;
    text.append(indent + 2, ' ');
    append_key(item);
    Append(*item, indent + 2, text);
    separator = ",\n";
  }
  if (value.empty()) return;
  text += "\n";
  text.append(indent, ' ');
}

void Append(const ordered_json& value, std::size_t indent, std::string& text) {
  if (value.is_object()) {
    const auto append_key = [&text](const auto& item) { text += QuotedString(item.key()) + ": "; };
    text += "{";
    AppendItems(value, indent, append_key, text);
    text += "}";
  } else if (value.is_array()) {
    text += "[";
    AppendItems(
        value, indent, [](const auto&) {}, text);
    text += "]";
  } else if (value.is_string()) {
    text += QuotedString(value.get_ref<const std::string&>());
  } else if (value.is_number_float()) {
    text += ShortestText(value.get<double>());
  } else {
    text += value.dump();  // null, true, false and integers.
  }
}

}  // namespace

std::string JsonText(const ordered_json& value) {
  std::string text;
  Append(value, 0, text);
  return text;
}

}  // namespace narrowgauge::internal
