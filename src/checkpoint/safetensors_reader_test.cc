#include "src/checkpoint/safetensors_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/checkpoint/test_files.h"
#include "src/numerics/widen.h"

namespace narrowgauge::internal {
namespace {

using test::Image;
using test::LittleEndian;
using test::Refusal;
using test::Safetensors;
using test::Text;
using test::Zeros;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr StatusCode kDataLoss = StatusCode::kDataLoss;

std::string Entry(std::string_view name, std::string_view dtype, std::string_view shape,
                  std::uint64_t begin, std::uint64_t end) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype,
                     shape, begin, end);
}

// A file of one tensor "a".
std::string OneTensor(std::string_view dtype, std::string_view shape, std::uint64_t size,
                      std::size_t data_bytes) {
  return Safetensors("{" + Entry("a", dtype, shape, 0, size) + "}", Zeros(data_bytes));
}

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// A file of tensors "a" and "b", F32 and of 8 bytes each, at these offsets.
std::string TwoTensors(std::uint64_t a, std::uint64_t b, std::size_t data_bytes) {
  return Safetensors(
      "{" + Entry("a", "F32", "[2]", a, a + 8) + "," + Entry("b", "F32", "[2]", b, b + 8) + "}",
      Zeros(data_bytes));
}

// A file whose tensor "a" of 4 bytes has these fields.
std::string Fields(std::string_view fields) {
  return Safetensors(fmt::format("{{\"a\":{{{}}}}}", fields), Zeros(4));
}

std::unique_ptr<CheckpointReader> OpenSound(const std::string& bytes) {
  auto reader = OpenSafetensors(Image(bytes), {});
  EXPECT_TRUE(reader.has_value()) << reader.error().message;
  return reader ? *std::move(reader) : nullptr;
}

TEST(SafetensorsReaderTest, DescribesTensorsInTheOrderOfTheirOffsets) {
  const std::string header =
      "{" + Entry("b", "BF16", "[2,1]", 4, 8) + "," + Entry("a", "F32", "[]", 0, 4) + "}";
  const std::string bytes = Safetensors(header, "abcdefgh");
  const auto reader = OpenSound(bytes);
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->Format(), "safetensors");
  EXPECT_EQ(reader->Path(), "the file");
  EXPECT_EQ(reader->DefaultKAxis(), KAxis::kLast);

  const auto tensors = reader->Tensors();
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].stored_dtype, "F32");
  EXPECT_EQ(tensors[0].dtype, DType::kFloat32);
  EXPECT_THAT(tensors[0].shape, IsEmpty());
  EXPECT_EQ(tensors[1].name, "b");
  EXPECT_EQ(tensors[1].dtype, DType::kBFloat16);
  EXPECT_THAT(tensors[1].shape, ElementsAre(2, 1));
  EXPECT_EQ(tensors[1].offset_bytes, 8 + header.size() + 4);
  EXPECT_EQ(tensors[1].size_bytes, 4U);

  const auto view = reader->View(1);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->dtype, DType::kBFloat16);
  EXPECT_EQ(Text(view->bytes), "efgh");
  EXPECT_EQ(view->bytes.data(), std::as_bytes(std::span(bytes)).data() + tensors[1].offset_bytes);
}

TEST(SafetensorsReaderTest, ReadsEmptyTensors) {
  const auto reader = OpenSound(Safetensors(
      "{" + Entry("a", "F32", "[0,5]", 0, 0) + "," + Entry("b", "F32", "[1]", 0, 4) + "}",
      Zeros(4)));
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->Tensors()[0].size_bytes, 0U);
  EXPECT_TRUE(reader->View(0)->bytes.empty());
}

TEST(SafetensorsReaderTest, ListsTensorsThatItCannotRead) {
  const auto reader = OpenSound(OneTensor("C64", "[4]", 32, 32));
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->Tensors()[0].stored_dtype, "C64");
  EXPECT_EQ(reader->Tensors()[0].dtype, std::nullopt);
  const auto view = reader->View(0);
  ASSERT_FALSE(view.has_value());
  EXPECT_EQ(view.error().code, StatusCode::kUnimplemented);
  EXPECT_THAT(view.error().message, HasSubstr(R"(expected one of float64, )"));
  EXPECT_THAT(view.error().message, HasSubstr(R"("C64" of tensor "a" in "the file")"));
}

// Returns the float32 values of tensor "a".
std::vector<float> ValuesOf(std::string_view dtype, int elements, std::string_view data) {
  const std::string bytes = Safetensors(
      "{" + Entry("a", dtype, fmt::format("[{}]", elements), 0, data.size()) + "}", data);
  const auto reader = OpenSound(bytes);
  if (reader == nullptr) return {};
  const auto view = reader->View(0);
  EXPECT_TRUE(view.has_value()) << view.error().message;
  if (!view) return {};
  std::vector<float> values(static_cast<std::size_t>(elements));
  WidenToFloat32(view->dtype, view->bytes.data(), elements, values.data());
  return values;
}

TEST(SafetensorsReaderTest, ReadsFormatsOfAByteAndLess) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(ValuesOf("F8_E4M3", 4, std::string_view("\x7e\x7f\x80\x01", 4)),
              ElementsAre(448.0F, testing::IsNan(), -0.0F, 0x1p-9F));
  EXPECT_THAT(ValuesOf("F8_E5M2", 3, "\x7b\x7c\x7d"),
              ElementsAre(57344.0F, kInfinity, testing::IsNan()));
  EXPECT_THAT(ValuesOf("F8_E8M0", 4, std::string_view("\0\x01\x7f\xff", 4)),
              ElementsAre(0x1p-127F, 0x1p-126F, 1.0F, testing::IsNan()));
  EXPECT_THAT(ValuesOf("F8_E4M3FNUZ", 2, "\x7f\x80"), ElementsAre(240.0F, testing::IsNan()));
  EXPECT_THAT(ValuesOf("F8_E5M2FNUZ", 2, "\x7f\x80"), ElementsAre(57344.0F, testing::IsNan()));
  EXPECT_THAT(ValuesOf("F4", 4, "\x21\x7f"), ElementsAre(0.5F, 1.0F, -6.0F, 6.0F));
  EXPECT_THAT(ValuesOf("F6_E2M3", 4, "\x81\x30\x7c"), ElementsAre(0.125F, 0.25F, 0.375F, 7.5F));
}

TEST(SafetensorsReaderTest, IgnoresUnknownFieldsOfATensor) {
  const std::string known = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";
  for (const std::string_view unknown :
       {R"("x":1)", R"("x":null)", R"("x":-1.5e3)", R"("x":[[{"dtype":"F7"},"y"],{}])",
        R"("x":{"a":{"a":true}})"}) {
    EXPECT_NE(OpenSound(Fields(fmt::format("{},{}", unknown, known))), nullptr) << unknown;
    EXPECT_NE(OpenSound(Fields(fmt::format("{},{}", known, unknown))), nullptr) << unknown;
  }
}

TEST(SafetensorsReaderTest, UnescapesNames) {
  const auto reader =
      OpenSound(Safetensors("{" + Entry(R"(\u00e9\n\"/)", "U8", "[0]", 0, 0) + "}", ""));
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->Tensors()[0].name, "\xc3\xa9\n\"/");
}

TEST(SafetensorsReaderTest, RefusesADTypeFromOutside) {
  const auto reader =
      OpenSafetensors(Image(OneTensor("F32", "[1]", 4, 4)), {.npy_dtype = DType::kBFloat16});
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(reader.error().message, HasSubstr("--npy-dtype"));
}

TEST(SafetensorsReaderTest, ReadsAHundredThousandTensors) {
  constexpr std::uint64_t kCount = 100'000;
  std::string header = "{";
  for (std::uint64_t i = 0; i < kCount; ++i) {
    // The header names them backwards, so that the sort has work to do.
    const std::uint64_t at = 2 * (kCount - 1 - i);
    if (i != 0) header += ",";
    header += Entry(fmt::format("model.layers.{}.self_attn.q_proj.weight", i), "BF16", "[1,1]", at,
                    at + 2);
  }
  const auto reader = OpenSound(Safetensors(header + "}", Zeros(2 * kCount)));
  ASSERT_NE(reader, nullptr);
  ASSERT_EQ(reader->Tensors().size(), kCount);
  EXPECT_EQ(reader->Tensors()[0].name, "model.layers.99999.self_attn.q_proj.weight");
}

class SafetensorsRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(SafetensorsRefusalTest, NamesWhatIsWrong) {
  const auto reader = OpenSafetensors(Image(GetParam().bytes), {});
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, GetParam().code);
  EXPECT_THAT(reader.error().message, HasSubstr(std::string(GetParam().message_part)));
  EXPECT_THAT(reader.error().message, HasSubstr("; expected "));
  EXPECT_THAT(reader.error().message, testing::EndsWith(R"(in "the file")"));
}

INSTANTIATE_TEST_SUITE_P(
    Framing, SafetensorsRefusalTest,
    testing::Values(Refusal{"Empty", "", kDataLoss, "at least 8 bytes: 0 bytes"},
                    Refusal{"Tiny", Zeros(4), kDataLoss, "at least 8 bytes: 4 bytes"},
                    Refusal{"Length2To63", LittleEndian(std::uint64_t{1} << 63, 8) + "{}",
                            kDataLoss, "at most 100000000 bytes: 9223372036854775808 at byte 0"},
                    Refusal{"LengthAllOnes", LittleEndian(~std::uint64_t{0}, 8) + "{}", kDataLoss,
                            "18446744073709551615"},
                    Refusal{"LengthOverLimit", LittleEndian(100'000'001, 8) + "{}", kDataLoss,
                            "at most 100000000 bytes"},
                    Refusal{"LengthPastEnd", LittleEndian(5000, 8) + "{}", kDataLoss,
                            "past the end of the file; expected at most 2 bytes: 5000"},
                    Refusal{"NoHeader", LittleEndian(0, 8), kDataLoss,
                            "'{' at byte 8: an empty header"}),
    test::RefusalName);

INSTANTIATE_TEST_SUITE_P(
    Json, SafetensorsRefusalTest,
    testing::Values(
        Refusal{"LeadingSpace", Safetensors(" {}", ""), kDataLoss, "'{' at byte 8: \" \""},
        Refusal{"AnArray", Safetensors("[]", ""), kDataLoss, "'{' at byte 8: \"[\""},
        Refusal{"Unclosed", Safetensors("{", ""), kDataLoss, "not valid JSON"},
        Refusal{"TrailingComma", Safetensors("{\"a\":1,}", ""), kDataLoss, "wrong type"},
        Refusal{"Garbage", Safetensors("{}x", ""), kDataLoss, "then only whitespace: byte 10"},
        Refusal{"SecondObject", Safetensors("{}{}", ""), kDataLoss,
                "then only whitespace: byte 10"},
        Refusal{"NulPadding", Safetensors({"{}\0\0", 4}, ""), kDataLoss,
                "NUL byte; expected JSON, padded with spaces: byte 10"},
        Refusal{"HiddenByNul", Safetensors({"{}\0\"a\":1}", 9}, ""), kDataLoss, "byte 10"},
        Refusal{"InvalidUtf8", Safetensors("{\"\xff\":1}", ""), kDataLoss,
                "not valid JSON; expected one object in UTF-8, then only whitespace: byte 10"},
        Refusal{"ByteOrderMark", Safetensors("\xef\xbb\xbf{}", ""), kDataLoss, "'{' at byte 8"},
        Refusal{"HugeNumber", Fields(R"("shape":[1e999])"), kDataLoss, "not valid JSON"},
        Refusal{"DuplicateTensor",
                Safetensors("{" + Entry("a", "F32", "[1]", 0, 4) + "," +
                                Entry("a", "F32", "[1]", 4, 8) + "}",
                            Zeros(8)),
                kDataLoss,
                "duplicate key in the header; expected each key once in its object: \"a\""},
        Refusal{"DuplicateEqualTensor",
                Safetensors("{" + Entry("a", "F32", "[1]", 0, 4) + "," +
                                Entry("a", "F32", "[1]", 0, 4) + "}",
                            Zeros(4)),
                kDataLoss, "duplicate key"},
        Refusal{"DuplicateEscapedTensor",
                Safetensors("{" + Entry("a", "U8", "[0]", 0, 0) + "," +
                                Entry("\\u0061", "U8", "[0]", 0, 0) + "}",
                            ""),
                kDataLoss, "duplicate key"},
        Refusal{"DuplicateMetadata", Safetensors(R"({"__metadata__":{},"__metadata__":null})", ""),
                kDataLoss, "once in its object: \"__metadata__\""},
        Refusal{"DuplicateMetadataKey", Safetensors(R"({"__metadata__":{"k":"1","k":"2"}})", ""),
                kDataLoss, R"(once in its object: "k" of "__metadata__")"},
        Refusal{"DuplicateField",
                Fields(R"("dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4])"),
                kDataLoss, R"(once in its object: "dtype" of tensor "a")"},
        Refusal{"DuplicateInUnknownField", Fields(R"("x":[{"y":{"z":1,"z":1}}])"), kDataLoss,
                R"("z" of tensor "a")"},
        Refusal{"DeepNesting", Fields("\"x\":" + std::string(1000, '[')), kDataLoss,
                "nested too deeply; expected at most 64 levels"}),
    test::RefusalName);

INSTANTIATE_TEST_SUITE_P(
    Types, SafetensorsRefusalTest,
    testing::Values(
        Refusal{"TensorIsANumber", Safetensors(R"({"a":1})", ""), kDataLoss,
                R"(an object with dtype, shape and data_offsets: 1 for "a")"},
        Refusal{"TensorIsNull", Safetensors(R"({"a":null})", ""), kDataLoss, R"(null for "a")"},
        Refusal{"TensorIsAnArray", Safetensors(R"({"a":[]})", ""), kDataLoss,
                R"(an array for "a")"},
        Refusal{"MetadataIsAString", Safetensors(R"({"__metadata__":"x"})", ""), kDataLoss,
                R"(an object of strings: a string for "__metadata__")"},
        Refusal{"MetadataNotStrings", Safetensors(R"({"__metadata__":{"k":1}})", ""), kDataLoss,
                R"(a string: 1 for "k" of "__metadata__")"},
        Refusal{"MetadataNested", Safetensors(R"({"__metadata__":{"k":{}}})", ""), kDataLoss,
                R"(a string: an object for "k" of "__metadata__")"},
        Refusal{"MissingDType", Fields(R"("shape":[1],"data_offsets":[0,4])"), kDataLoss,
                R"("dtype" of tensor "a")"},
        Refusal{"MissingShape", Fields(R"("dtype":"F32","data_offsets":[0,4])"), kDataLoss,
                R"("shape" of tensor "a")"},
        Refusal{"MissingOffsets", Fields(R"("dtype":"F32","shape":[1])"), kDataLoss,
                R"("data_offsets" of tensor "a")"},
        Refusal{"DTypeIsANumber", Fields(R"("dtype":32)"), kDataLoss,
                R"(a string: 32 for "dtype" of tensor "a")"},
        Refusal{"ShapeIsANumber", Fields(R"("shape":1)"), kDataLoss,
                R"(an array of integers from 0 to 2^63-1: 1 for "shape" of tensor "a")"},
        Refusal{"ShapeIsNested", Fields(R"("shape":[[1]])"), kDataLoss,
                R"(an array for "shape" of tensor "a")"},
        Refusal{"NegativeDimension", Fields(R"("shape":[-6])"), kDataLoss,
                R"(: -6 for "shape" of tensor "a")"},
        Refusal{"NegativeZero", Fields(R"("shape":[-0])"), kDataLoss,
                R"(: -0 for "shape" of tensor "a")"},
        Refusal{"FloatDimension", Fields(R"("shape":[6.0])"), kDataLoss,
                R"(: 6.0 for "shape" of tensor "a")"},
        Refusal{"DimensionOver2To63", Fields(R"("shape":[9223372036854775808])"), kDataLoss,
                R"(: 9223372036854775808 for "shape" of tensor "a")"},
        Refusal{
            "OneOffset", Fields(R"("data_offsets":[0])"), kDataLoss,
            R"(an array of two integers from 0 to 2^64-1: 1 integers for "data_offsets" of tensor "a")"},
        Refusal{"ThreeOffsets", Fields(R"("data_offsets":[0,4,4])"), kDataLoss, "3 integers"},
        Refusal{"OffsetOver2To64", Fields(R"("data_offsets":[0,18446744073709551616])"), kDataLoss,
                R"(18446744073709551616 for "data_offsets")"}),
    test::RefusalName);

INSTANTIATE_TEST_SUITE_P(
    Layout, SafetensorsRefusalTest,
    testing::Values(
        Refusal{"Overlap", TwoTensors(0, 4, 12), kDataLoss, R"(of tensors "a" and "b")"},
        Refusal{"Hole", TwoTensors(0, 12, 20), kDataLoss, R"(before tensor "b")"},
        Refusal{"LeadingGap", TwoTensors(4, 12, 20), kDataLoss, R"(before tensor "a")"},
        Refusal{"TrailingByte", OneTensor("F32", "[1]", 4, 5), kDataLoss,
                "the last tensor at the end of the file: bytes ["},
        Refusal{"DataWithoutTensors", Safetensors("{}", "x"), kDataLoss, "bytes [10, 11)"},
        Refusal{"Short", OneTensor("F32", "[2]", 8, 4), kDataLoss,
                R"(at most the 4 bytes of data that it holds: [0, 8] of tensor "a")"},
        Refusal{"Backwards", Safetensors("{" + Entry("a", "F32", "[1]", 4, 0) + "}", Zeros(4)),
                kDataLoss, R"(begin <= end: [4, 0] of tensor "a")"},
        Refusal{"SizeMismatch", OneTensor("F32", "[3]", 8, 8), kDataLoss,
                R"(12 bytes for F32 [3]: [0, 8] of tensor "a")"},
        Refusal{
            "ElementsOverflow", OneTensor("F32", "[8589934592,8589934592]", 4, 4), kDataLoss,
            R"(shape is too large; expected a size in bits below 2^64: [8589934592, 8589934592] of tensor "a")"},
        Refusal{"BitsOverflow", OneTensor("F64", "[4611686018427387904]", 4, 4), kDataLoss,
                "shape is too large"},
        Refusal{"ManyDimensions", OneTensor("F32", "[2" + Repeated(",2", 99) + "]", 4, 4),
                kDataLoss, R"(: [rank 100] of tensor "a")"},
        Refusal{"UnknownDType", OneTensor("F7", "[1]", 1, 1), kDataLoss,
                R"(F64, I64, U64: "F7" of tensor "a")"},
        Refusal{"LowerCaseDType", OneTensor("f32", "[1]", 4, 4), kDataLoss,
                R"("f32" of tensor "a")"},
        Refusal{"HalfAByte", OneTensor("F4", "[3]", 2, 2), kDataLoss,
                R"(elements that fill whole bytes: 3 of 4 bits in tensor "a")"},
        Refusal{"QuarterByte", OneTensor("F6_E2M3", "[2]", 2, 2), kDataLoss, "2 of 6 bits"},
        Refusal{"ControlCharactersAreEscaped",
                Safetensors("{" + Entry("\\u001b[31m", "F7", "[]", 0, 0) + "}", ""), kDataLoss,
                R"(of tensor "\x1b[31m")"},
        Refusal{"LongNamesAreCut",
                Safetensors("{" + Entry(std::string(5000, 'n'), "F7", "[]", 0, 0) + "}", ""),
                kDataLoss, R"(nnn"... (5000 bytes) in)"}),
    test::RefusalName);

}  // namespace
}  // namespace narrowgauge::internal
