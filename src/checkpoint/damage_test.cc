// Every way of cutting a small file, and of flipping one bit of its header.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "src/checkpoint/registry.h"
#include "src/checkpoint/test_files.h"
#include "src/numerics/widen.h"

namespace narrowgauge::internal {
namespace {

struct SoundFile {
  std::string_view name;
  std::string_view format;
  std::string bytes;
  std::size_t header_bytes;
};

std::ostream& operator<<(std::ostream& out, const SoundFile& file) { return out << file.name; }

std::vector<SoundFile> SoundFiles() {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},)"
      R"("b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})";
  const std::string narrow = R"({"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},)"
                             R"("b":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[2,5]}})";
  const std::string array = test::Npy(test::NpyDict(">f2", "(2, 3)", "True"), "abcdefghijkl");
  const std::string record = test::Npy(
      "{'descr': [('a', '<f4', (2,)), (('t', 'n'), [('x', '|V4')])], 'fortran_order': False, "
      "'shape': (1,), }",
      "abcdefghijkl", 3);
  return {{"Safetensors", "safetensors", test::Safetensors(header, "abcdefghijklmnop"),
           8 + header.size()},
          {"SafetensorsBelowAByte", "safetensors", test::Safetensors(narrow, "abcde"),
           8 + narrow.size()},
          {"Npy", "npy", array, array.size() - 12},
          {"NpyRecord", "npy", record, record.size() - 12}};
}

class DamageTest : public testing::TestWithParam<SoundFile> {
 protected:
  // Reads all elements of a view, so that the address sanitizer sees it.
  static void ReadElements(const TensorView& view) {
    const auto elements = NumElements(view.shape).value();
    std::vector<float> values(static_cast<std::size_t>(elements));
    WidenToFloat32(view.dtype, view.bytes.data(), elements, values.data());
  }

  // Opens the bytes and, if they are sound, holds the reader to its promises. Returns whether they
  // are.
  static bool OpensSoundly(const std::string& bytes, const CheckpointOptions& options = {}) {
    for (const CheckpointFormat& format : CheckpointFormats()) {
      if (format.name != GetParam().format) continue;
      static_cast<void>(format.looks_like(std::as_bytes(std::span(bytes))));
      const auto reader = format.open(test::Image(bytes), options);
      if (!reader) {
        EXPECT_FALSE(reader.error().message.empty());
        return false;
      }
      for (std::size_t i = 0; i < (*reader)->Tensors().size(); ++i) {
        const TensorInfo& tensor = (*reader)->Tensors()[i];
        EXPECT_LE(tensor.offset_bytes, bytes.size());
        EXPECT_LE(tensor.size_bytes, bytes.size() - tensor.offset_bytes);
        const auto view = (*reader)->View(i);
        EXPECT_EQ(view.has_value(), tensor.dtype.has_value());
        EXPECT_EQ(view ? view->bytes.size() : tensor.size_bytes, tensor.size_bytes);
        if (view) ReadElements(*view);
      }
      return true;
    }
    return false;
  }
};

TEST_P(DamageTest, TheFileItselfIsSound) { EXPECT_TRUE(OpensSoundly(GetParam().bytes)); }

TEST_P(DamageTest, EveryTruncationIsRefused) {
  for (std::size_t size = 0; size < GetParam().bytes.size(); ++size) {
    EXPECT_FALSE(OpensSoundly(GetParam().bytes.substr(0, size))) << size;
  }
}

TEST_P(DamageTest, EveryFlippedBitGivesAnErrorOrASoundReader) {
  for (std::size_t at = 0; at < GetParam().header_bytes; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = GetParam().bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      OpensSoundly(bytes);
      OpensSoundly(bytes, {.npy_dtype = DType::kBFloat16});
    }
  }
}

std::string FileName(const testing::TestParamInfo<SoundFile>& file) {
  return std::string(file.param.name);
}

INSTANTIATE_TEST_SUITE_P(All, DamageTest, testing::ValuesIn(SoundFiles()), FileName);

}  // namespace
}  // namespace narrowgauge::internal
