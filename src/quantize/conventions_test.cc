#include "narrowgauge/convention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "src/numerics/codec.h"
#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"
#include "tests/support/json_data.h"

namespace narrowgauge {
namespace {

using internal::GroupInput;
using internal::QuantizationRecipe;
using internal::QuantizedGroup;
using nlohmann::json;

std::vector<float> Words(const std::string& text) {
  std::vector<float> values;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(test::ParseHex(word))));
  }
  return values;
}

// Which of our schemes answers for a scheme of the golden file.
struct Judged {
  std::string_view ours;
  DType weights = DType::kFloat32;
  bool beside_others = false;  // The group is not alone in its array.
};

const std::map<std::string, Judged>& JudgedSchemes() {
  static const std::map<std::string, Judged> schemes = {
      {"aqt: fp8 e4m3", {"aqt/float8_e4m3fn"}},
      {"aqt: fp8 e5m2", {"aqt/float8_e5m2"}},
      {"aqt: int4", {"aqt/int4"}},
      {"aqt: int4 preserve_max_val", {"aqt/int4-preserve-max"}},
      {"aqt: int8", {"aqt/int8"}},
      {"aqt: int8 preserve_max_val", {"aqt/int8-preserve-max"}},
      {"compressed-tensors: FP8", {"compressed-tensors/fp8"}},
      {"compressed-tensors: FP8_DYNAMIC", {"compressed-tensors/fp8-dynamic"}},
      {"compressed-tensors: MXFP4A16", {"compressed-tensors/mxfp4a16"}},
      {"compressed-tensors: MXFP8A16", {"compressed-tensors/mxfp8a16"}},
      {"compressed-tensors: NVFP4A16", {"compressed-tensors/nvfp4a16"}},
      {"compressed-tensors: W4A16", {"compressed-tensors/w4a16"}},
      {"compressed-tensors: W4A16_ASYM", {"compressed-tensors/w4a16-asym"}},
      {"compressed-tensors: W8A16", {"compressed-tensors/w8a16"}},
      {"compressed-tensors: W8A8", {"compressed-tensors/w8a8"}},
      {"gguf: MXFP4", {"ggml/mxfp4"}},
      {"gguf: Q4_0", {"ggml/q4_0"}},
      {"gguf: Q4_1", {"ggml/q4_1"}},
      {"gguf: Q5_0", {"ggml/q5_0"}},
      {"gguf: Q5_1", {"ggml/q5_1"}},
      {"gguf: Q8_0", {"ggml/q8_0"}},
      {"microxcaling: mx fp4_e2m1 round=even", {"microxcaling/mxfp4-even"}},
      {"microxcaling: mx fp4_e2m1 round=nearest", {"microxcaling/mxfp4"}},
      {"microxcaling: mx fp8_e4m3 round=even", {"microxcaling/mxfp8-even"}},
      {"microxcaling: mx fp8_e4m3 round=nearest", {"microxcaling/mxfp8"}},
      {"microxcaling: mx int8 round=even", {"microxcaling/mxint8-even"}},
      {"microxcaling: mx int8 round=nearest", {"microxcaling/mxint8"}},
      {"mlx: affine 4-bit", {"mlx/affine4"}},
      {"mlx: affine 8-bit", {"mlx/affine8"}},
      {"mlx: mxfp4", {"mlx/mxfp4"}},
      {"mlx: mxfp8", {"mlx/mxfp8"}},
      {"mlx: nvfp4", {"mlx/nvfp4"}},
      {"modelopt: fp8 fake-quant (eager)", {"modelopt/fp8-fake"}},
      {"modelopt: fp8 per-tensor", {"modelopt/fp8"}},
      {"modelopt: int4 block", {"modelopt/int4"}},
      {"modelopt: int8 per-channel", {"modelopt/int8"}},
      {"modelopt: mxfp4", {"modelopt/mxfp4"}},
      {"modelopt: mxfp8", {"modelopt/mxfp8"}},
      {"modelopt: nvfp4", {"modelopt/nvfp4"}},
      {"onnxruntime: DynamicQuantizeLinear", {"onnxruntime/dynamic-uint8"}},
      {"onnxruntime: MatMulNBits 4-bit asymmetric", {"onnxruntime/nbits4"}},
      {"onnxruntime: MatMulNBits 4-bit symmetric", {"onnxruntime/nbits4-symmetric"}},
      {"onnxruntime: MatMulNBits 8-bit asymmetric", {"onnxruntime/nbits8"}},
      {"onnxruntime: MatMulNBits 8-bit symmetric", {"onnxruntime/nbits8-symmetric"}},
      {"onnxruntime: QDQ 4-bit symmetric", {"onnxruntime/qdq4-symmetric"}},
      {"onnxruntime: float8_e4m3fn", {"onnxruntime/float8_e4m3fn"}},
      {"onnxruntime: int4 symmetric", {"onnxruntime/int4"}},
      {"onnxruntime: int8 symmetric", {"onnxruntime/int8"}},
      {"onnxruntime: int8 symmetric reduce_range", {"onnxruntime/int8-reduce-range"}},
      {"onnxruntime: uint4 asymmetric", {"onnxruntime/uint4"}},
      {"onnxruntime: uint8 asymmetric", {"onnxruntime/uint8"}},
      {"qwix: float8_e4m3fn", {"qwix/float8_e4m3fn"}},
      {"qwix: float8_e5m2", {"qwix/float8_e5m2"}},
      {"qwix: int4", {"qwix/int4"}},
      {"qwix: int4 minmax", {"qwix/int4-minmax"}},
      {"qwix: int8", {"qwix/int8"}},
      {"qwix: int8 minmax", {"qwix/int8-minmax"}},
      {"qwix: mxfp4", {"qwix/mxfp4"}},
      {"qwix: mxfp8", {"qwix/mxfp8"}},
      {"qwix: nvfp4", {"qwix/nvfp4"}},
      {"torchao: float8 weight-only per-row", {"torchao/float8"}},
      {"torchao: float8 weight-only per-tensor", {"torchao/float8"}},
      {"torchao: int4 tinygemm bfloat16", {"torchao/int4-tinygemm", DType::kBFloat16}},
      {"torchao: int4 tinygemm float32", {"torchao/int4-tinygemm"}},
      {"torchao: int8 weight-only", {"torchao/int8"}},
      {"torchao: intx int4 asymmetric", {"torchao/int4-asymmetric"}},
      {"torchao: intx int4 symmetric", {"torchao/int4"}},
      {"torchao: intx int4 symmetric_no_clipping_err", {"torchao/int4-no-clipping"}},
      {"torchao: intx int8 symmetric", {"torchao/int8-intx"}},
      {"torchao: mxfp4 CEIL", {"torchao/mxfp4-ceil"}},
      {"torchao: mxfp4 EVEN", {"torchao/mxfp4-even"}},
      {"torchao: mxfp4 FLOOR", {"torchao/mxfp4-floor"}},
      {"torchao: mxfp4 RCEIL", {"torchao/mxfp4-rceil"}},
      {"torchao: mxfp8 e4m3 CEIL", {"torchao/mxfp8-ceil"}},
      {"torchao: mxfp8 e4m3 EVEN", {"torchao/mxfp8-even"}},
      {"torchao: mxfp8 e4m3 FLOOR", {"torchao/mxfp8-floor"}},
      {"torchao: mxfp8 e4m3 RCEIL", {"torchao/mxfp8-rceil"}},
      {"torchao: mxfp8 e5m2 CEIL", {"torchao/mxfp8-e5m2-ceil"}},
      {"torchao: mxfp8 e5m2 EVEN", {"torchao/mxfp8-e5m2-even"}},
      {"torchao: mxfp8 e5m2 FLOOR", {"torchao/mxfp8-e5m2-floor"}},
      {"torchao: mxfp8 e5m2 RCEIL", {"torchao/mxfp8-e5m2-rceil"}},
      {"torchao: nvfp4 one-level", {"torchao/nvfp4-one-level"}},
      {"torchao: nvfp4 two-level", {"torchao/nvfp4"}},
  };
  return schemes;
}

// Returns what answers for a scheme, whose name may say more: "NAME, 3 columns, float16 weight".
std::optional<Judged> JudgedScheme(std::string name) {
  Judged modifiers;
  for (std::size_t comma = name.rfind(", "); comma != std::string::npos; comma = name.rfind(", ")) {
    const std::string word = name.substr(comma + 2);
    if (word == "bfloat16 weight") {
      modifiers.weights = DType::kBFloat16;
    } else if (word == "float16 weight") {
      modifiers.weights = DType::kFloat16;
    } else if (word == "3 columns") {
      modifiers.beside_others = true;
    } else if (word != "2 blocks") {  // Seen from the number of values.
      return std::nullopt;
    }
    name.resize(comma);
  }
  const auto found = JudgedSchemes().find(name);
  if (found == JudgedSchemes().end()) return std::nullopt;
  Judged judged = found->second;
  if (modifiers.weights != DType::kFloat32) judged.weights = modifiers.weights;
  judged.beside_others = modifiers.beside_others;
  return judged;
}

// Schemes without a convention of ours, and why.
const std::map<std::string, std::string>& SchemesLeftOut() {
  static const std::map<std::string, std::string> schemes = {
      {"onnxruntime: QuantizeLinear int8 (scale=1)", "the operator is given its scale"},
      {"onnxruntime: QuantizeLinear uint8 (scale=1,zp=3)", "the operator is given its scale"},
  };
  return schemes;
}

// Records whose outcome the package leaves to the machine, and why.
const std::map<std::string, std::string>& RecordsLeftOut() {
  static const std::map<std::string, std::string> records = {
      {"mlx: mxfp4: nan", "a NaN exponent becomes an integer"},
      {"mlx: mxfp4: inf", "an infinite exponent becomes an integer"},
      {"mlx: mxfp8: nan", "a NaN exponent becomes an integer"},
      {"mlx: mxfp8: inf", "an infinite exponent becomes an integer"},
      {"torchao: int4 tinygemm float32: neg_extreme", "a NaN becomes an int32"},
      {"torchao: nvfp4 two-level: subnormal", "NaN of 0 * infinity becomes an e2m1 code"},
  };
  return records;
}

// NaN has many codes and bits; which one a CPU makes is its own affair. Torch's cast of NaN to
// e2m1, which has none, leaves bits of the NaN.
bool SameCode(double ours, const json& theirs, float their_value, const std::string& format) {
  if (theirs.is_null()) return true;  // Judged by its value.
  const bool is_float = format.find("byte") != std::string::npos;
  const bool is_nibble = format == "e2m1 nibble";
  if (is_nibble && std::isnan(their_value)) return true;
  if (is_float) {
    const DType dtype = format[1] == '4' ? DType::kFloat8E4M3Fn : DType::kFloat8E5M2;
    const DTypeInfo& info = GetDTypeInfo(dtype);
    if (std::isnan(internal::Decode(info, theirs.get<std::uint64_t>()))) {
      return std::isnan(internal::Decode(info, static_cast<std::uint64_t>(ours)));
    }
  }
  return ours == theirs.get<double>();
}

bool SameBits(float ours, float theirs) {
  return std::isnan(theirs) ? std::isnan(ours) : test::BitsOf(ours) == test::BitsOf(theirs);
}

// Returns what differs, or "".
std::string Compare(const json& scheme, const json& record, const Judged& judged) {
  const auto convention = FindConvention(judged.ours);
  if (!convention) return convention.error().message;
  const QuantizationRecipe& recipe = internal::RecipeOf(**convention);
  std::vector<float> input = Words(record["input"]);
  if (record.contains("values") && Words(record["values"]).size() == 2 * input.size()) {
    // Two blocks, the second of which is the first times 2^-12.
    const std::size_t count = input.size();
    for (std::size_t i = 0; i < count; ++i) input.push_back(input[i] * 0x1p-12F);
  }
  for (float& x : input) x = internal::RoundTo(judged.weights, x);
  const auto tensor = internal::RangeOf(input, Subnormals::kKept);
  // Block formats fill up their group; elsewhere the record is one group.
  const std::size_t group_size =
      recipe.block ? static_cast<std::size_t>(recipe.group) : input.size();
  std::ostringstream difference;
  difference << std::hexfloat;
  for (std::size_t first = 0; first < input.size(); first += group_size) {
    QuantizedGroup group;
    const auto done =
        QuantizeGroup(recipe,
                      GroupInput{.elements = std::span(input).subspan(first, group_size),
                                 .tensor_absmax = tensor.Absmax(),
                                 .weights = judged.weights,
                                 .has_only_scale = !judged.beside_others},
                      group);
    if (record.contains("error")) return done ? "not refused" : "";
    if (!done) return done.error().message;
    const std::vector<float> values = Words(record["values"]);
    const std::size_t at = first / group_size;
    if (record.contains("scale")) {
      const float theirs = Words(record["scale"]).at(at);
      if (!SameBits(static_cast<float>(group.scale), theirs)) {
        difference << "scale " << group.scale << " not " << theirs << "; ";
      }
    }
    if (record.contains("scale_code") && group.scale_code != record["scale_code"][at]) {
      const bool nan = group.scale_code == 127 && record["scale_code"][at] == 255 &&
                       scheme.value("scale_dtype", "") == "e4m3fn";
      if (!nan) difference << "scale code " << group.scale_code << "; ";
    }
    for (const char* field : {"zero_point", "bias"}) {
      if (record.contains(field) &&
          !SameBits(static_cast<float>(group.zero_point), Words(record[field]).at(0))) {
        difference << field << " " << group.zero_point << "; ";
      }
    }
    if (record.contains("global_scale") &&
        !SameBits(group.tensor_scale, Words(record["global_scale"]).at(0))) {
      difference << "tensor scale " << group.tensor_scale << "; ";
    }
    for (std::size_t i = 0; i < group.values.size(); ++i) {
      const float theirs = values.at(first + i);
      if (record.contains("codes") && !SameCode(group.codes[i], record["codes"].at(first + i),
                                                theirs, scheme.value("code_format", ""))) {
        difference << "code " << i << " is " << group.codes[i] << " not "
                   << record["codes"].at(first + i) << "; ";
      }
      if (!SameBits(group.values[i], theirs)) {
        difference << "value " << i << " is " << group.values[i] << " not " << theirs << "; ";
      }
    }
  }
  return difference.str();
}

TEST(ConventionsTest, EveryRecordedAnswerIsReproduced) {
  const json golden = test::ReadJson("golden/conventions.json");
  int judged_records = 0;
  int left_out = 0;
  std::set<std::string> seen;
  for (const json& scheme : golden["schemes"]) {
    const std::string name =
        scheme["ecosystem"].get<std::string>() + ": " + scheme["scheme"].get<std::string>();
    if (SchemesLeftOut().contains(name)) {
      left_out += static_cast<int>(scheme["records"].size());
      continue;
    }
    const std::optional<Judged> judged = JudgedScheme(name);
    ASSERT_TRUE(judged) << name;
    for (const json& record : scheme["records"]) {
      const std::string record_name = name + ": " + record["case"].get<std::string>();
      if (RecordsLeftOut().contains(record_name)) {
        seen.insert(record_name);
        ++left_out;
        continue;
      }
      ++judged_records;
      EXPECT_EQ(Compare(scheme, record, *judged), "") << record_name;
    }
  }
  EXPECT_EQ(seen.size(), RecordsLeftOut().size());
  EXPECT_EQ(judged_records, 1061);
  EXPECT_EQ(left_out, 16);
}

// Which of our schemes answers for a table of E8M0 codes.
std::string SchemeOfTable(const json& table) {
  const std::string ecosystem = table["ecosystem"];
  const std::string rule = table["rule"];
  const std::string element = table["element"];
  static const std::map<std::string, std::string> formats = {
      {"e2m1", "mxfp4"}, {"e4m3", "mxfp8"}, {"e5m2", "mxfp8-e5m2"}, {"int8", "mxint8"}};
  const std::string& format = formats.at(element);
  if (ecosystem == "torchao") {
    std::string lowercase = rule;
    for (char& c : lowercase) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return "torchao/" + format + "-" + lowercase;
  }
  if (ecosystem == "gguf") return "ggml/" + format;
  if (ecosystem == "compressed-tensors") return ecosystem + "/" + format + "a16";
  return ecosystem + "/" + format;
}

TEST(ConventionsTest, EveryRecordedE8M0CodeIsReproduced) {
  const json golden = test::ReadJson("golden/conventions.json");
  const std::vector<float> absmax = Words(golden["e8m0"]["absmax"]);
  int judged_codes = 0;
  for (const json& table : golden["e8m0"]["tables"]) {
    const std::string name = SchemeOfTable(table);
    const auto convention = FindConvention(name);
    ASSERT_TRUE(convention) << convention.error().message;
    for (std::size_t i = 0; i < absmax.size(); ++i) {
      std::vector<float> block(32, 0.0F);
      block[0] = absmax[i];
      QuantizedGroup group;
      ASSERT_TRUE(
          QuantizeGroup(internal::RecipeOf(**convention), GroupInput{.elements = block}, group));
      EXPECT_EQ(group.scale_code, table["codes"].at(i).get<int>())
          << name << ", absmax " << absmax[i];
      ++judged_codes;
    }
  }
  EXPECT_EQ(judged_codes, 850);
}

QuantizedGroup Quantized(std::string_view name, const std::vector<float>& elements) {
  const auto convention = FindConvention(name);
  EXPECT_TRUE(convention) << name;
  QuantizedGroup group;
  const internal::ElementRange range = internal::RangeOf(elements, Subnormals::kKept);
  EXPECT_TRUE(QuantizeGroup(
      internal::RecipeOf(**convention),
      GroupInput{.elements = elements, .tensor_absmax = range.Absmax(), .has_only_scale = true},
      group))
      << name;
  return group;
}

// The places where packages that look alike differ.
TEST(ConventionsTest, MinusTheLargestMagnitudeHasTwoCodes) {
  const std::vector<float> w = {127.5F, -127.5F};
  EXPECT_THAT(Quantized("qwix/int8", w).codes, testing::ElementsAre(127, -128));
  EXPECT_THAT(Quantized("torchao/int8", w).codes, testing::ElementsAre(127, -128));
  EXPECT_THAT(Quantized("compressed-tensors/w8a8", w).codes, testing::ElementsAre(127, -128));
  EXPECT_THAT(Quantized("aqt/int8", w).codes, testing::ElementsAre(127, -127));
  EXPECT_THAT(Quantized("onnxruntime/int8", w).codes, testing::ElementsAre(127, -127));
}

TEST(ConventionsTest, DivisorsAreThreeEvenWithinAPackage) {
  const std::vector<float> w = {1.0F, -0.5F};
  EXPECT_EQ(Quantized("onnxruntime/int8", w).scale, static_cast<double>(1.0F / 127.0F));
  EXPECT_EQ(Quantized("onnxruntime/int4", w).scale, static_cast<double>(1.0F / 7.5F));
  EXPECT_EQ(Quantized("onnxruntime/nbits4-symmetric", w).scale, -0.125);
}

TEST(ConventionsTest, AMagnitudeThatBothSignsHaveScalesByOneOrTheOther) {
  const std::vector<float> w = {8.0F, -8.0F};
  EXPECT_EQ(Quantized("ggml/q4_0", w).scale, -1);                    // The first.
  EXPECT_EQ(Quantized("onnxruntime/nbits4-symmetric", w).scale, 1);  // The minimum.
}

TEST(ConventionsTest, AReciprocalMovesTies) {
  // 6 / G and 0.75 / G are 7 codes apart; (1 / G) / block scale is a shade less than its quotient.
  const std::vector<float> w = {6.0F, 0.75F, 1.75F, 3.5F};
  EXPECT_THAT(Quantized("modelopt/nvfp4", w).codes, testing::ElementsAre(7, 2, 4, 6));
  EXPECT_THAT(Quantized("compressed-tensors/nvfp4a16", w).codes, testing::ElementsAre(7, 2, 4, 6));
  EXPECT_THAT(Quantized("torchao/nvfp4", w).codes, testing::ElementsAre(7, 1, 3, 5));
}

TEST(ConventionsTest, ScalesAreRoundedBeforeOrAfterTheCodes) {
  // 1e-6 / 127 is below half the smallest float16.
  const std::vector<float> w = {1e-6F, -0.25e-6F};
  const QuantizedGroup group = Quantized("ggml/q8_0", w);
  EXPECT_THAT(group.codes, testing::ElementsAre(127, -32));
  EXPECT_EQ(group.scale, 0);
  EXPECT_THAT(group.values, testing::ElementsAre(0.0F, -0.0F));
}

TEST(ConventionsTest, ZerosHaveManyScales) {
  const std::vector<float> zeros(4, 0.0F);
  EXPECT_EQ(Quantized("qwix/int8", zeros).scale, 1);
  EXPECT_EQ(Quantized("onnxruntime/int8", zeros).scale, 1);
  EXPECT_EQ(Quantized("aqt/int8", zeros).scale, static_cast<double>(1.0F / 127.5F));
  EXPECT_EQ(Quantized("torchao/int8", zeros).scale, 0x1p-23);
  EXPECT_EQ(Quantized("compressed-tensors/w8a8", zeros).scale, 0x1p-23);
  EXPECT_EQ(Quantized("torchao/int4", zeros).scale, 0x1p-126);
  EXPECT_EQ(Quantized("ggml/q8_0", zeros).scale, 0);
  EXPECT_EQ(Quantized("modelopt/int8", zeros).scale, 0);
  EXPECT_EQ(Quantized("mlx/affine4", zeros).scale, static_cast<double>(-1e-7F));
  EXPECT_TRUE(std::isnan(Quantized("torchao/float8", zeros).values[0]));
  EXPECT_TRUE(std::isnan(Quantized("modelopt/fp8", zeros).values[0]));
}

TEST(ConventionsTest, ZeroCountsAmongTheElementsOrNot) {
  const std::vector<float> w = {10.0F, 25.0F};
  for (const char* with_zero :
       {"qwix/int4-minmax", "torchao/int4-asymmetric", "compressed-tensors/w4a16-asym",
        "onnxruntime/uint4", "onnxruntime/nbits4"}) {
    EXPECT_EQ(Quantized(with_zero, w).scale, static_cast<double>(25.0F / 15.0F)) << with_zero;
  }
  EXPECT_EQ(Quantized("ggml/q4_1", w).scale, 1);
  EXPECT_EQ(Quantized("torchao/int4-tinygemm", w).scale, 1);
  EXPECT_EQ(std::fabs(Quantized("mlx/affine4", w).scale), 1);
}

TEST(ConventionsTest, AZeroPointIsAddedBeforeRoundingOrAfter) {
  // scale 1, zero point 3 above the lowest code: 0.5 + 3 is a tie between 3 and 4, 0.5 between 0
  // and 1.
  const std::vector<float> w = {-3.0F, 12.0F, 0.5F};
  const double lowest = -8;
  EXPECT_EQ(Quantized("qwix/int4-minmax", w).codes[2], lowest + 4);
  EXPECT_EQ(Quantized("compressed-tensors/w4a16-asym", w).codes[2], lowest + 4);
  EXPECT_EQ(Quantized("onnxruntime/nbits4", w).codes[2], 4);
  EXPECT_EQ(Quantized("torchao/int4-asymmetric", w).codes[2], lowest + 3);
  EXPECT_EQ(Quantized("onnxruntime/uint4", w).codes[2], 3);
}

TEST(ConventionsTest, TheTableIsInOrder) {
  std::set<std::string> names;
  std::set<std::string_view> ecosystems;
  std::string_view previous;
  for (const Convention& row : AllConventions()) {
    SCOPED_TRACE(ConventionName(row));
    EXPECT_TRUE(names.insert(ConventionName(row)).second);
    EXPECT_EQ(row.is_default, row.ecosystem != previous);
    EXPECT_EQ(ecosystems.insert(row.ecosystem).second, row.is_default);
    previous = row.ecosystem;
    EXPECT_FALSE(row.package.empty());
    EXPECT_FALSE(row.source.empty());
    EXPECT_TRUE(row.words.ends_with('.'));
    EXPECT_EQ(row.evidence == Evidence::kDocumentation, row.ecosystem == "tensorrt");
    const QuantizationRecipe& recipe = internal::RecipeOf(row);
    const std::string_view format =
        recipe.block ? GetBlockFormatInfo(*recipe.block).name : DTypeName(recipe.dtype);
    EXPECT_EQ(row.spec.substr(0, row.spec.find_first_of("/,")), format);
    if (recipe.block) {
      EXPECT_EQ(recipe.group, GetBlockFormatInfo(*recipe.block).block_size);
    }
  }
  EXPECT_EQ(ecosystems.size(), 10U);
}

TEST(ConventionsTest, NamesAreFoundOrCorrected) {
  for (const Convention& row : AllConventions()) {
    const auto found = FindConvention(ConventionName(row));
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, &row);
    if (row.is_default) {
      EXPECT_EQ(FindConvention(row.ecosystem).value(), &row);
    }
  }
  EXPECT_EQ(FindConvention("qwik").error().message,
            "unknown convention; expected one of qwix, aqt, torchao, ggml, onnxruntime, mlx, "
            "compressed-tensors, modelopt, microxcaling, tensorrt (nearest: qwix): \"qwik\"");
  const Error error = FindConvention("aqt/int5").error();
  EXPECT_EQ(error.code, StatusCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            "unknown scheme of aqt; expected one of int8, int4, int8-preserve-max, "
            "int4-preserve-max, float8_e4m3fn, float8_e5m2 (nearest: int8): \"int5\"");
  EXPECT_FALSE(FindConvention("qwix/"));
  EXPECT_FALSE(FindConvention(""));
}

}  // namespace
}  // namespace narrowgauge
