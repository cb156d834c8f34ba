#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/checkpoint.h"
#include "src/checkpoint/test_files.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

using test::DataPath;
using test::ReadBytes;
using test::ReadJson;

// Returns such as "accept: a:U8[4], b:U8[2]", as cases.expected.json writes it, or "reject".
std::string Verdict(const std::string& path) {
  const auto reader = OpenCheckpoint(path);
  if (!reader) return "reject";
  std::map<std::string, std::string> by_name;
  for (const TensorInfo& tensor : (*reader)->Tensors()) {
    by_name[tensor.name] = tensor.name + ":" + tensor.stored_dtype + FormatShape(tensor.shape);
  }
  std::string verdict = "accept: ";
  for (const auto& [name, text] : by_name) {
    if (!verdict.ends_with(' ')) verdict += ", ";
    verdict += text;
  }
  return verdict;
}

// What the reference reader accepts and narrowgauge refuses, for the format's README forbids it.
constexpr std::string_view kStricter[] = {"leading_space", "duplicate_tensor_same_info",
                                          "duplicate_tensor_last_wins"};

TEST(SafetensorsGoldenTest, JudgesAsTheReferenceReader) {
  const nlohmann::json cases = ReadJson("data/checkpoint/safetensors_cases.expected.json");
  ASSERT_EQ(cases.size(), 37U);
  for (const auto& [name, reference] : cases.items()) {
    const std::string verdict =
        Verdict(DataPath("data/checkpoint/safetensors_cases/" + name + ".safetensors"));
    if (std::find(std::begin(kStricter), std::end(kStricter), name) != std::end(kStricter)) {
      EXPECT_THAT(reference.get<std::string>(), testing::StartsWith("accept")) << name;
      EXPECT_EQ(verdict, "reject") << name;
    } else if (reference.get<std::string>().starts_with("reject")) {
      EXPECT_EQ(verdict, "reject") << name;
    } else {
      EXPECT_EQ(verdict, reference) << name;
    }
  }
}

TEST(SafetensorsGoldenTest, ReadsEveryDType) {
  const std::string path = DataPath("data/checkpoint/all_dtypes.safetensors");
  const std::string file = ReadBytes(path);
  const nlohmann::json expected = ReadJson("data/checkpoint/all_dtypes.expected.json");
  const auto reader = OpenCheckpoint(path);
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  ASSERT_EQ((*reader)->Tensors().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TensorInfo& tensor = (*reader)->Tensors()[i];
    const nlohmann::json& row = expected.at(tensor.name);
    EXPECT_EQ(tensor.stored_dtype, row["dtype"]) << tensor.name;
    EXPECT_EQ(tensor.shape, row["shape"].get<Shape>()) << tensor.name;
    std::string bytes;
    const std::string hex = row["hex"];
    for (std::size_t at = 0; at < hex.size(); at += 2) {
      bytes += static_cast<char>(test::ParseHex(hex.substr(at, 2)));
    }
    EXPECT_EQ(file.substr(tensor.offset_bytes, tensor.size_bytes), bytes) << tensor.name;
    const auto view = (*reader)->View(i);
    ASSERT_EQ(view.has_value(), tensor.dtype.has_value()) << tensor.name;
    if (!view) continue;
    const auto bits = static_cast<std::uint64_t>(NumElements(tensor.shape).value() *
                                                 StorageBits(GetDTypeInfo(view->dtype)));
    EXPECT_EQ(8 * tensor.size_bytes, bits) << tensor.name;
    EXPECT_EQ(internal::test::Text(view->bytes), bytes) << tensor.name;
    EXPECT_EQ(GetDTypeInfo(view->dtype).file_name, tensor.stored_dtype) << tensor.name;
  }
}

TEST(SafetensorsGoldenTest, EveryFormatThatHasAWordForFilesIsRead) {
  const auto reader = OpenCheckpoint(DataPath("data/checkpoint/all_dtypes.safetensors"));
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  const auto tensors = (*reader)->Tensors();
  for (const DType dtype : AllDTypes()) {
    if (GetDTypeInfo(dtype).file_name.empty()) continue;
    EXPECT_TRUE(std::any_of(tensors.begin(), tensors.end(), [dtype](const TensorInfo& tensor) {
      return tensor.dtype == dtype;
    })) << DTypeName(dtype);
  }
}

}  // namespace
}  // namespace narrowgauge
