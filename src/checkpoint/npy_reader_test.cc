#include "src/checkpoint/npy_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "src/checkpoint/test_files.h"
#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

using narrowgauge::test::DataPath;
using narrowgauge::test::ReadBytes;
using test::Image;
using test::Npy;
using test::NpyDict;
using test::Refusal;
using test::Text;
using test::Zeros;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr StatusCode kDataLoss = StatusCode::kDataLoss;

// What OpenNpy and View(0) make of a file.
struct Opened {
  TensorInfo tensor;
  std::string values;  // The bytes of the view.
};

Result<Opened> Open(const std::string& bytes, const CheckpointOptions& options = {}) {
  const auto reader = OpenNpy(Image(bytes), options);
  if (!reader) return tl::unexpected<Error>(reader.error());
  EXPECT_EQ((*reader)->Format(), "npy");
  EXPECT_EQ((*reader)->DefaultKAxis(), KAxis::kFirst);
  EXPECT_EQ((*reader)->Tensors().size(), 1U);
  Opened opened{(*reader)->Tensors()[0], ""};
  const auto view = (*reader)->View(0);
  if (!view) return tl::unexpected<Error>(view.error());
  EXPECT_EQ(view->dtype, opened.tensor.dtype);
  EXPECT_EQ(view->shape, opened.tensor.shape);
  opened.values = Text(view->bytes);
  return opened;
}

// The values 0 to 5 in float32, row-major, little-endian.
std::string ZeroToFive() {
  std::string bytes;
  for (const float value : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F}) {
    bytes += test::LittleEndian(narrowgauge::test::BitsOf(value), 4);
  }
  return bytes;
}

void ExpectZeroToFive(const std::string& bytes) {
  const auto opened = Open(bytes);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->tensor.name, "");
  EXPECT_EQ(opened->tensor.dtype, DType::kFloat32);
  EXPECT_THAT(opened->tensor.shape, ElementsAre(2, 3));
  EXPECT_EQ(opened->tensor.size_bytes, 24U);
  EXPECT_EQ(opened->tensor.offset_bytes, bytes.size() - 24);
  EXPECT_EQ(opened->values, ZeroToFive());
}

TEST(NpyReaderTest, ReadsWhatNumPyWrites) {
  for (const std::string_view name :
       {"v1_f4", "v2_f4", "v3_f4", "fortran_f4", "big_endian_f4", "odd_header_order"}) {
    SCOPED_TRACE(name);
    ExpectZeroToFive(ReadBytes(DataPath(fmt::format("data/checkpoint/npy/{}.npy", name))));
  }
}

TEST(NpyReaderTest, ReadsAnySpacingQuotesAndOrderOfKeys) {
  for (const std::string_view dict :
       {"{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
        "{\"shape\": (2L, 3L,), \"descr\": \"<f4\", 'fortran_order': False}",
        " {\t'fortran_order' : False , 'shape' : ( 2 , 3 ) , 'descr' : '=f4' , } "}) {
    SCOPED_TRACE(dict);
    ExpectZeroToFive(Npy(dict, ZeroToFive()));
  }
}

TEST(NpyReaderTest, ViewsSoundOrderWithoutACopy) {
  const std::string bytes = Npy(NpyDict("<f4", "(2, 3)"), ZeroToFive());
  const auto reader = OpenNpy(Image(bytes), {});
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ((*reader)->View(0)->bytes.data(), std::as_bytes(std::span(bytes)).last(24).data());
}

TEST(NpyReaderTest, KeepsTheConvertedCopy) {
  const std::string bytes = Npy(NpyDict(">f4", "(6,)"), ZeroToFive());
  const auto reader = OpenNpy(Image(bytes), {});
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ((*reader)->View(0)->bytes.data(), (*reader)->View(0)->bytes.data());
}

TEST(NpyReaderTest, ConvertsFortranOrderOfAnyRank) {
  // Element (i, j, k) of shape (2, 3, 2) is the letter 'a' + 6i + 2j + k.
  const auto opened = Open(Npy(NpyDict("|i1", "(2, 3, 2)", "True"), "agciekbhdjfl"));
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->values, "abcdefghijkl");
}

TEST(NpyReaderTest, ConvertsBigEndianFortranOrder) {
  const auto opened = Open(Npy(NpyDict(">f2", "(2, 2)", "True"), "abefcdgh"));
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->tensor.dtype, DType::kFloat16);
  EXPECT_EQ(opened->values, "badcfehg");
}

TEST(NpyReaderTest, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(Open(Npy(NpyDict("<f4", "()"), "abcd"))->values, "abcd");
  EXPECT_EQ(Open(Npy(NpyDict("<f4", "()", "True"), "abcd"))->values, "abcd");
  EXPECT_EQ(Open(Npy(NpyDict("<f4", "(0, 3)"), ""))->values, "");
  EXPECT_EQ(Open(Npy(NpyDict(">f4", "(0, 3)", "True"), ""))->values, "");
}

TEST(NpyReaderTest, ReadsVoidElementsOnceTheirDTypeIsNamed) {
  const CheckpointOptions bfloat16 = {.npy_dtype = DType::kBFloat16};
  for (const std::string_view descr : {"<V2", "|V2"}) {
    const std::string bytes = Npy(NpyDict(descr, "(2,)"), "abcd");
    const auto named = Open(bytes, bfloat16);
    ASSERT_TRUE(named.has_value()) << named.error().message;
    EXPECT_EQ(named->tensor.dtype, DType::kBFloat16);
    EXPECT_EQ(named->tensor.stored_dtype, descr);
    EXPECT_EQ(named->values, "abcd");

    const auto unnamed = Open(bytes);
    ASSERT_FALSE(unnamed.has_value());
    EXPECT_EQ(unnamed.error().code, StatusCode::kUnimplemented);
    EXPECT_THAT(unnamed.error().message,
                HasSubstr(R"(--npy-dtype with one of bfloat16, float16: ")"));
  }
  EXPECT_EQ(Open(ReadBytes(DataPath("data/checkpoint/npy/bf16_V2.npy")), bfloat16)->values,
            std::string_view("\x80\x3f\x00\xc0\x49\x40", 6));
}

TEST(NpyReaderTest, RefusesADTypeThatDoesNotFit) {
  const auto error_of = [](std::string_view descr, std::size_t size, DType dtype) {
    const auto opened = Open(Npy(NpyDict(descr, "(1,)"), Zeros(size)), {.npy_dtype = dtype});
    return opened ? Error{StatusCode::kUnknown, "accepted"} : opened.error();
  };
  EXPECT_EQ(error_of("<f4", 4, DType::kFloat32).code, StatusCode::kInvalidArgument);
  EXPECT_EQ(error_of("<i8", 8, DType::kFloat32).code, StatusCode::kInvalidArgument);
  EXPECT_THAT(error_of("<f4", 4, DType::kBFloat16).message,
              HasSubstr(R"(bfloat16 for "<f4" in "the file")"));
  EXPECT_EQ(error_of("<V2", 2, DType::kFloat32).code, StatusCode::kFailedPrecondition);
  EXPECT_THAT(error_of("<V2", 2, DType::kFloat32).message,
              HasSubstr(R"(a dtype of 2 bytes an element: float32 for "<V2")"));
  // NumPy gives each element a byte; packed formats would be half as long.
  EXPECT_EQ(error_of("<V1", 1, DType::kInt4).code, StatusCode::kFailedPrecondition);
  EXPECT_EQ(error_of("<V1", 1, DType::kFloat6E2M3Fn).code, StatusCode::kFailedPrecondition);
}

TEST(NpyReaderTest, Tf32HasTheSizeOfFloat32) {
  const auto opened = Open(Npy(NpyDict("<V4", "(1,)"), "abcd"), {.npy_dtype = DType::kTf32});
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->values, "abcd");
}

TEST(NpyReaderTest, ReadsNumbersThatNumPyNamesItself) {
  struct Case {
    std::string_view file;
    DType dtype;
    std::size_t size_bytes;
  };
  for (const Case& c : {Case{"scalar_f8", DType::kFloat64, 8}, Case{"u1", DType::kUint8, 4},
                        Case{"one_dim_f2", DType::kFloat16, 10}}) {
    SCOPED_TRACE(c.file);
    const auto opened =
        Open(ReadBytes(DataPath(fmt::format("data/checkpoint/npy/{}.npy", c.file))));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    EXPECT_EQ(opened->tensor.dtype, c.dtype);
    EXPECT_EQ(opened->values.size(), c.size_bytes);
  }
}

TEST(NpyReaderTest, ListsElementsThatItCannotRead) {
  struct Case {
    std::string_view file, stored_dtype;
    std::uint64_t size_bytes;
  };
  for (const Case& c :
       {Case{"empty_0x3_i4", "<i4", 0}, Case{"bool", "|b1", 2}, Case{"c8", "<c8", 8},
        Case{"struct_v1", "record", 12}, Case{"f8e4m3fn_V1", "<V1", 3}}) {
    SCOPED_TRACE(c.file);
    const std::string bytes =
        ReadBytes(DataPath(fmt::format("data/checkpoint/npy/{}.npy", c.file)));
    const auto reader = OpenNpy(Image(bytes), {});
    ASSERT_TRUE(reader.has_value()) << reader.error().message;
    const TensorInfo& tensor = (*reader)->Tensors()[0];
    EXPECT_EQ(tensor.stored_dtype, c.stored_dtype);
    EXPECT_EQ(tensor.dtype, std::nullopt);
    EXPECT_EQ(tensor.size_bytes, c.size_bytes);
    EXPECT_EQ((*reader)->View(0).error().code, StatusCode::kUnimplemented);
  }
}

TEST(NpyReaderTest, SumsTheFieldsOfRecords) {
  struct Case {
    std::string_view descr;
    std::size_t size_bytes;
  };
  for (const Case& c : {Case{"[('a', '<i4'), ('', '|V4'), ('b', '<f8')]", 16},
                        Case{"[('a', '<f4', (2, 3)), ('b', '|S3'), ]", 27},
                        Case{"[(('title', 'name'), '<U5')]", 20},
                        Case{"[('a', [('x', '<i2'), ('y', [('z', '|u1')], (3,))])]", 5},
                        Case{R"([("it's", '<M8[ns]'), ('\'', '<m8')])", 16}}) {
    SCOPED_TRACE(c.descr);
    const std::string dict =
        fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': (1,), }}", c.descr);
    const std::string bytes = Npy(dict, Zeros(c.size_bytes));
    const auto reader = OpenNpy(Image(bytes), {});
    ASSERT_TRUE(reader.has_value()) << reader.error().message;
    EXPECT_EQ((*reader)->Tensors()[0].size_bytes, c.size_bytes);
  }
}

class NpyRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(NpyRefusalTest, NamesWhatIsWrong) {
  const auto reader = OpenNpy(Image(GetParam().bytes), {});
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, GetParam().code);
  EXPECT_THAT(reader.error().message, HasSubstr(std::string(GetParam().message_part)));
  EXPECT_THAT(reader.error().message, HasSubstr("; expected "));
  EXPECT_THAT(reader.error().message, testing::EndsWith(R"(in "the file")"));
}

// A file of one float whose dict is this.
std::string WithDict(std::string_view dict) { return Npy(dict, Zeros(4)); }
std::string WithShape(std::string_view shape) { return WithDict(NpyDict("<f4", shape)); }
std::string WithDescr(std::string_view descr) {
  return WithDict(fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': (1,), }}", descr));
}

std::string WithoutPadding(std::string_view dict) {
  return std::string("\x93NUMPY\x01\0", 8) + test::LittleEndian(dict.size(), 2) +
         std::string(dict) + Zeros(4);
}

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Framing, NpyRefusalTest,
    testing::Values(
        Refusal{"Empty", "", kDataLoss, R"("\x93NUMPY": "")"},
        Refusal{"NotNpy", "PK\x03\x04 a zip", kDataLoss, R"("\x93NUMPY": "PK)"},
        Refusal{"OnlyMagic", "\x93NUMPY", kDataLoss, "at least 8 bytes: 6 bytes"},
        Refusal{"NoLength", {"\x93NUMPY\x01\0", 8}, kDataLoss, "at least 10 bytes: 8 bytes"},
        Refusal{"Version4", Npy(NpyDict("<f4", "()"), Zeros(4), 4), StatusCode::kUnimplemented,
                "1.0, 2.0 or 3.0: 4.0"},
        Refusal{
            "Version0", {"\x93NUMPY\0\0", 8}, StatusCode::kUnimplemented, "1.0, 2.0 or 3.0: 0.0"},
        Refusal{"HeaderPastEnd",
                {"\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14},
                kDataLoss,
                "at least 4294967307 bytes: 14 bytes"},
        Refusal{"Truncated", Npy(NpyDict("<f4", "(2, 3)"), Zeros(20)), kDataLoss,
                "data is truncated; expected 24 bytes for <f4 [2, 3]: 20 bytes from byte 128 on"},
        Refusal{"TrailingByte", Npy(NpyDict("<f4", "(2, 3)"), Zeros(25)), kDataLoss,
                "bytes follow the data; expected 24 bytes"},
        Refusal{"NoNewline", WithoutPadding(NpyDict("<f4", "(1,)")), kDataLoss,
                "a newline at its end"}),
    test::RefusalName);

INSTANTIATE_TEST_SUITE_P(
    Dict, NpyRefusalTest,
    testing::Values(
        Refusal{"NotADict", WithDict("[]"), kDataLoss, "expected '{': \"[]"},
        Refusal{"EmptyDict", WithDict("{}"), kDataLoss,
                "a key is missing in the header; expected descr, fortran_order and shape: descr"},
        Refusal{"NoShape", WithDict("{'descr': '<f4', 'fortran_order': False}"), kDataLoss,
                ": shape at byte"},
        Refusal{"NoOrder", WithDict("{'descr': '<f4', 'shape': (1,)}"), kDataLoss,
                ": fortran_order at byte"},
        Refusal{"DuplicateKey", WithDict("{'descr': '<f4', 'descr': '<f4'}"), kDataLoss,
                "duplicate key in the header"},
        Refusal{"UnknownKey", WithDict("{'dtype': '<f4'}"), kDataLoss,
                R"(once each: "dtype" at byte 11)"},
        Refusal{"KeyWithoutQuotes", WithDict("{descr: '<f4'}"), kDataLoss, "text in quotes"},
        Refusal{"UnclosedText", WithDict("{'descr: "), kDataLoss, "a closing quote: ' at byte 11"},
        Refusal{"EscapeAtTheEnd", WithDict("{'\\"), kDataLoss, "a closing quote"},
        Refusal{"NoColon", WithDict("{'descr' '<f4'}"), kDataLoss, "expected ':'"},
        Refusal{"NoComma", WithDict("{'descr': '<f4' 'shape': ()}"), kDataLoss, "expected '}'"},
        Refusal{"Unclosed", WithDict("{'descr': '<f4',"), kDataLoss, "the end of the header"},
        Refusal{"TwoDicts", WithDict(NpyDict("<f4", "(1,)") + "{}"), kDataLoss,
                "only spaces after the dict"},
        Refusal{"OrderInOtherWords", WithDict(NpyDict("<f4", "(1,)", "0")), kDataLoss,
                "True or False"},
        Refusal{"AnExpression", WithShape("(1,)*2"), kDataLoss, "expected '}': \"*2"}),
    test::RefusalName);

INSTANTIATE_TEST_SUITE_P(
    ShapeOf, NpyRefusalTest,
    testing::Values(
        Refusal{"NotATuple", WithShape("1"), kDataLoss, "expected '('"},
        Refusal{"AList", WithShape("[1]"), kDataLoss, "expected '('"},
        Refusal{"ParenthesesAlone", WithShape("(1)"), kDataLoss, "',' after the only dimension"},
        Refusal{"CommaAlone", WithShape("(,)"), kDataLoss, "a dimension from 0 to 2^63-1"},
        Refusal{"Spaced", WithShape("(1 1)"), kDataLoss, "',' or ')'"},
        Refusal{"Negative", WithShape("(-1,)"), kDataLoss, "a dimension from 0 to 2^63-1: \"-1"},
        Refusal{"Float", WithShape("(1.0,)"), kDataLoss, "',' or ')'"},
        Refusal{"LeadingZero", WithShape("(01,)"), kDataLoss, "a dimension"},
        Refusal{"Over2To63", WithShape("(9223372036854775808,)"), kDataLoss, "a dimension"},
        Refusal{"Over2To64", WithShape("(18446744073709551616,)"), kDataLoss, "a dimension"},
        Refusal{"LongIntegerInVersion3", Npy(NpyDict("<f4", "(1L,)"), Zeros(4), 3), kDataLoss,
                "',' or ')'"},
        Refusal{"ElementsOverflow", WithShape("(8589934592, 8589934592)"), kDataLoss,
                "shape is too large"},
        Refusal{"BytesOverflow", WithShape("(9223372036854775807,)"), kDataLoss,
                "shape is too large"},
        Refusal{"Rank65", WithShape("(" + Repeated("1,", 65) + ")"), kDataLoss, "at most 64"}),
    test::RefusalName);

INSTANTIATE_TEST_SUITE_P(
    DescrOf, NpyRefusalTest,
    testing::Values(
        Refusal{"Object", WithDescr("'|O'"), StatusCode::kUnimplemented, "pickle"},
        Refusal{"ObjectField", WithDescr("[('a', '|O')]"), StatusCode::kUnimplemented, "pickle"},
        Refusal{"ANumber", WithDescr("4"), kDataLoss, "a dtype in quotes or a list of fields"},
        Refusal{"EmptyWord", WithDescr("''"), kDataLoss, R"(such as <f4: "")"},
        Refusal{"OrderAlone", WithDescr("'<'"), kDataLoss, R"(such as <f4: "<")"},
        Refusal{"NoSize", WithDescr("'<f'"), kDataLoss, R"("<f")"},
        Refusal{"NoOrder", WithDescr("'f4'"), kDataLoss, R"("f4")"},
        Refusal{"ByteOrderLeftOpen", WithDescr("'|f4'"), kDataLoss, R"("|f4")"},
        Refusal{"UnknownKind", WithDescr("'<x4'"), kDataLoss, R"("<x4")"},
        Refusal{"UnknownSize", WithDescr("'<f3'"), kDataLoss, R"("<f3")"},
        Refusal{"SizeOver2To64", WithDescr("'|V18446744073709551616'"), kDataLoss, "unknown dtype"},
        Refusal{"TextOver2To64", WithDescr("'<U18446744073709551615'"), kDataLoss,
                "dtype is too large"},
        Refusal{"UnitOfANumber", WithDescr("'<f4[ns]'"), kDataLoss, "unknown dtype"},
        Refusal{"UnitWithoutABracket", WithDescr("'<M8ns]'"), kDataLoss, "unknown dtype"},
        Refusal{"EmptyRecord", WithDescr("[]"), kDataLoss, "expected '('"},
        Refusal{"FieldWithoutDType", WithDescr("[('a',)]"), kDataLoss, "a dtype in quotes"},
        Refusal{"UnclosedRecord", WithDescr("[('a', '<f4')}"), kDataLoss, "expected ']'"},
        Refusal{"RecordOverflow", WithDescr("[('a', '|V18446744073709551615'), ('b', '|u1')]"),
                kDataLoss, "record is too large"},
        Refusal{"FieldOverflow", WithDescr("[('a', '<f4', (9223372036854775807,))]"), kDataLoss,
                "record is too large"},
        Refusal{"DeepRecord", WithDescr(Repeated("[('a', ", 1000)), kDataLoss,
                "at most 32 levels"}),
    test::RefusalName);

}  // namespace
}  // namespace narrowgauge::internal
