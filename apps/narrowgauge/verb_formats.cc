// formats: what number formats there are, what they hold, and what they make of a value.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "flags.h"
#include "narrowgauge/block_format.h"
#include "narrowgauge/codec.h"
#include "narrowgauge/dtype.h"
#include "narrowgauge/report.h"
#include "verb.h"

namespace narrowgauge::app {
namespace {

constexpr const char* kExamples =
    "X is a decimal or C99 hexadecimal number, inf or nan, read as float64. CODE is 0x..., 0b... "
    "or "
    "decimal.\n"
    "Examples:\n"
    "  narrowgauge formats\n"
    "  narrowgauge formats bfloat16\n"
    "  narrowgauge formats float8_e4m3fn --encode 0.1 --encode=-464.1 --overflow saturate\n"
    "  narrowgauge formats e5m2 --decode 0x7B\n"
    "  narrowgauge formats float4_e2m1fn --codes --format csv";

// Codes of wider formats are too many to list.
constexpr int kMostBitsListed = 16;
// Wider codes in binary leave no room for the rest of a line, and six digits do not tell their
// values apart: people see those in hexadecimal.
constexpr int kMostBitsShown = 19;

struct FormatsFlags {
  ReportFlags report;
  std::string name;
  std::vector<std::string> encode;
  std::vector<std::string> decode;
  bool codes = false;
  std::string rounding;
  std::string overflow;
  std::string random;
};

template <typename... Parts>
tl::unexpected<Error> WrongWords(fmt::format_string<Parts...> text, Parts&&... parts) {
  return MakeError(StatusCode::kInvalidArgument, fmt::format(text, std::forward<Parts>(parts)...));
}

// ---- Cells -------------------------------------------------------------------------------------

// A number, or "inf", "-inf", "nan", "-nan", which float() of Python reads.
Cell ValueCell(double value) {
  if (std::isfinite(value)) return value;
  return fmt::format("{}{}", std::signbit(value) ? "-" : "", std::isnan(value) ? "nan" : "inf");
}

// The value as a C99 hexadecimal number: exact, and a power of two is seen to be one.
std::string HexText(double value) {
  if (!std::isfinite(value)) return std::get<std::string>(ValueCell(value));
  return fmt::format("{:a}", value);
}

std::string CodeText(const DTypeInfo& info, std::uint64_t code) {
  return fmt::format("0x{:0{}X}", code, (info.total_bits + 3) / 4);
}

// The code in binary, sign, exponent and mantissa apart.
std::string BinaryText(const DTypeInfo& info, std::uint64_t code) {
  std::string text;
  for (int bit = info.total_bits - 1; bit >= 0; --bit) {
    text += (code >> bit & 1) != 0 ? '1' : '0';
    const bool ends_sign = info.is_signed && bit == info.total_bits - 1;
    const bool ends_exponent = bit == info.mantissa_bits;
    const bool ends_field = info.kind == DTypeKind::kFloat && (ends_sign || ends_exponent);
    if (ends_field && bit > 0) text += ' ';
  }
  return text;
}

ShownTo ShownIf(bool for_people) { return for_people ? ShownTo::kEveryone : ShownTo::kPrograms; }

Cell TextOr(std::string_view text, const char* reason) {
  if (text.empty()) return NoValue{reason};
  return std::string(text);
}

template <std::size_t kCount>
Cell AliasesCell(const std::array<std::string_view, kCount>& aliases) {
  std::vector<std::string_view> words;
  for (const std::string_view alias : aliases) {
    if (!alias.empty()) words.push_back(alias);
  }
  return TextOr(fmt::format("{}", fmt::join(words, ", ")), "none");
}

// ---- Facts -------------------------------------------------------------------------------------

// One fact of a format, wherever it is shown.
struct Fact {
  const char* key;
  Cell value;
  ShownTo in_list;                       // Who sees it in the list of all formats.
  ShownTo in_view = ShownTo::kEveryone;  // Who sees it with NAME.
};

std::string SpecialsText(const DTypeLimits& limits) {
  std::vector<std::string_view> specials;
  if (limits.has_infinity) specials.push_back("inf");
  if (limits.has_nan) specials.push_back("NaN");
  if (limits.has_negative_zero) specials.push_back("-0");
  if (!limits.has_zero) specials.push_back("no 0");
  return specials.empty() ? "none" : fmt::format("{}", fmt::join(specials, ", "));
}

std::vector<Fact> FactsOf(DType dtype) {
  constexpr auto kPeople = ShownTo::kEveryone;
  constexpr auto kPrograms = ShownTo::kPrograms;
  const DTypeInfo& info = GetDTypeInfo(dtype);
  const DTypeLimits limits = GetDTypeLimits(dtype);
  const bool is_float = info.kind == DTypeKind::kFloat;
  const ShownTo if_floats = is_float ? kPeople : kPrograms;
  const auto if_float = [is_float](Cell cell) { return is_float ? cell : Cell(NoValue{"int"}); };
  const auto integer = [](int value) { return Cell(std::int64_t{value}); };
  return {
      {"name", std::string(info.name), kPeople},
      {"kind", std::string(is_float ? "float" : "integer"), kPrograms},
      {"bits", integer(info.total_bits), kPeople},
      {"storage_bits", integer(StorageBits(info)), kPrograms,
       StorageBits(info) == info.total_bits ? kPrograms : kPeople},
      {"signed", info.is_signed, kPrograms},
      {"exponent_bits", if_float(integer(info.exponent_bits)), kPrograms, if_floats},
      {"mantissa_bits", if_float(integer(info.mantissa_bits)), kPrograms, if_floats},
      {"fields",
       if_float(
           fmt::format("{}+{}+{}", info.is_signed ? 1 : 0, info.exponent_bits, info.mantissa_bits)),
       kPeople, if_floats},
      {"bias", if_float(integer(info.exponent_bias)), kPeople, if_floats},
      {"max", limits.largest, kPeople},
      {"min", limits.lowest, kPrograms},
      {"min_normal", if_float(limits.smallest_normal), kPeople, if_floats},
      {"min_subnormal",
       if_float(limits.has_subnormals ? Cell(limits.smallest_subnormal) : Cell(NoValue{"none"})),
       kPeople, if_floats},
      {"epsilon", if_float(limits.epsilon), kPeople, if_floats},
      {"specials", SpecialsText(limits), kPeople},
      {"has_infinity", limits.has_infinity, kPrograms, kPrograms},
      {"has_nan", limits.has_nan, kPrograms, kPrograms},
      {"has_zero", limits.has_zero, kPrograms, kPrograms},
      {"has_negative_zero", limits.has_negative_zero, kPrograms, kPrograms},
      {"nan_becomes", CodeText(info, info.canonical_nan), kPrograms},
      {"file_name", TextOr(info.file_name, "safetensors has no word for it"), kPrograms},
      {"aliases", AliasesCell(info.aliases), kPrograms},
      {"source", std::string(info.source), kPrograms},
  };
}

std::string_view FamilyText(BlockFamily family) {
  switch (family) {
    case BlockFamily::kMx:
      return "MX";
    case BlockFamily::kNvFp4:
      return "NVFP4";
    case BlockFamily::kGgml:
      break;
  }
  return "ggml";
}

std::vector<Fact> FactsOf(BlockFormat format) {
  constexpr auto kPeople = ShownTo::kEveryone;
  constexpr auto kPrograms = ShownTo::kPrograms;
  const BlockFormatInfo& info = GetBlockFormatInfo(format);
  const int scale_bits = info.scales_per_block * StorageBits(GetDTypeInfo(info.scale_dtype));
  const double bits_per_element =
      info.element_bits + static_cast<double>(scale_bits) / info.block_size;
  const auto integer = [](int value) { return Cell(std::int64_t{value}); };
  return {
      {"name", std::string(info.name), kPeople},
      {"family", std::string(FamilyText(info.family)), kPeople},
      {"block_size", integer(info.block_size), kPeople},
      {"element",
       info.element ? std::string(DTypeName(*info.element))
                    : fmt::format("{}-bit integer", info.element_bits),
       kPeople},
      {"element_bits", integer(info.element_bits), kPrograms},
      {"scale_dtype", std::string(DTypeName(info.scale_dtype)), kPeople},
      {"scales_per_block", integer(info.scales_per_block), kPeople},
      {"tensor_scale_dtype",
       info.tensor_scale_dtype ? Cell(std::string(DTypeName(*info.tensor_scale_dtype)))
                               : Cell(NoValue{"none"}),
       kPrograms},
      {"bits_per_element", bits_per_element, kPeople},
      {"aliases", AliasesCell(info.aliases), kPrograms},
      {"source", std::string(info.source), kPrograms},
  };
}

std::string_view UnitOf(std::string_view key) { return key == "block_size" ? "elements" : ""; }

Report EmptyReport() {
  return {.schema = "narrowgauge.formats/1", .title = "", .facts = {}, .tables = {}, .notes = {}};
}

// ---- The list ----------------------------------------------------------------------------------

template <typename Format>
ReportTable ListTable(const char* key, const char* title, std::span<const Format> formats) {
  ReportTable table{.key = key, .title = title, .columns = {}, .rows = {}};
  for (const Format format : formats) {
    const std::vector<Fact> facts = FactsOf(format);
    if (table.columns.empty()) {
      for (const Fact& fact : facts) {
        table.columns.push_back({fact.key, std::string(UnitOf(fact.key)), fact.in_list});
      }
    }
    std::vector<Cell> cells;
    for (const Fact& fact : facts) cells.push_back(fact.value);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Report ListReport() {
  Report report = EmptyReport();
  report.tables = {
      ListTable("dtypes", "Formats of one element", AllDTypes()),
      ListTable("block_formats", "Formats whose elements share scales", AllBlockFormats())};
  report.notes = {
      "fields: bits of sign, exponent and stored mantissa. bits_per_element counts the scales of a "
      "block.",
      "\"narrowgauge formats NAME\" shows more of a format, with the source that defines it."};
  return report;
}

// ---- One format --------------------------------------------------------------------------------

// Codes worth knowing by heart.
ReportTable LandmarkTable(DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  const DTypeLimits limits = GetDTypeLimits(dtype);
  ReportTable table{
      .key = "landmarks",
      .title = "Landmarks",
      .columns = {{"landmark", ""}, {"code", ""}, {"binary", ""}, {"value", ""}, {"value_hex", ""}},
      .rows = {}};
  const auto add_code = [&](const char* name, std::uint64_t code) {
    const double value = DecodeValue(dtype, code);
    table.rows.push_back({std::string(name), CodeText(info, code), BinaryText(info, code),
                          ValueCell(value), HexText(value)});
  };
  const auto add = [&](const char* name, double value) {
    add_code(name, EncodeValue(dtype, value));
  };
  if (limits.has_zero) add("zero", 0.0);
  if (limits.has_negative_zero) add("negative zero", -0.0);
  if (limits.has_subnormals) add("smallest subnormal", limits.smallest_subnormal);
  if (info.kind == DTypeKind::kFloat) add("smallest normal", limits.smallest_normal);
  add("one", 1.0);
  add("largest", limits.largest);
  if (info.is_signed) add("lowest", limits.lowest);
  if (limits.has_infinity) add("infinity", HUGE_VAL);
  if (limits.has_nan) add_code("NaN", info.canonical_nan);
  return table;
}

Report FormatReport(const NumberFormat& format) {
  Report report = EmptyReport();
  const auto facts = std::visit([](auto each) { return FactsOf(each); }, format);
  for (const Fact& fact : facts) report.facts.push_back({fact.key, fact.value, fact.in_view});
  if (const auto* dtype = std::get_if<DType>(&format)) report.tables = {LandmarkTable(*dtype)};
  return report;
}

// ---- Codes and values --------------------------------------------------------------------------

Result<double> ParseValue(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  const bool blank = text.empty() || text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r');
  if (blank || end != text.c_str() + text.size()) {
    return WrongWords(
        "--encode takes a decimal or C99 hexadecimal number, inf or nan, such as 0.1, -0, "
        "0x1.8p-3: \"{}\"",
        text);
  }
  if (errno == ERANGE && std::isinf(value)) {
    return WrongWords("--encode reads its number as float64, at most 1.797...e308, or inf: \"{}\"",
                      text);
  }
  return value;
}

// Reads digits of a base, all of `text`.
std::optional<std::uint64_t> ParseDigits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> ParseUnsigned(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return ParseDigits(text.substr(2), 16);
  if (text.starts_with("0b") || text.starts_with("0B")) return ParseDigits(text.substr(2), 2);
  return ParseDigits(text, 10);
}

Result<std::uint64_t> ParseCode(const DTypeInfo& info, const std::string& text) {
  const auto code = ParseUnsigned(text);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - info.total_bits);
  if (!code || *code > largest) {
    return WrongWords(
        "--decode takes a code of {}, 0 to {} ({}), as 0x..., 0b... or decimal: "
        "\"{}\"",
        info.name, CodeText(info, largest), largest, text);
  }
  return *code;
}

// The columns that say what is next to a value, and their cells.
void AddNeighbourColumns(const DTypeInfo& info, std::vector<ReportColumn>& columns) {
  const ShownTo values = ShownIf(info.total_bits <= kMostBitsShown);
  columns.insert(
      columns.end(),
      {{"below", "", values}, {"below_code", ""}, {"above", "", values}, {"above_code", ""}});
}

void AddNeighbours(DType dtype, double value, std::vector<Cell>& cells) {
  const Neighbours neighbours = FindNeighbours(dtype, value);
  for (const auto& neighbour : {neighbours.below, neighbours.above}) {
    if (neighbour) {
      cells.push_back(ValueCell(neighbour->value));
      cells.emplace_back(CodeText(GetDTypeInfo(dtype), neighbour->code));
    } else {
      cells.insert(cells.end(), 2, NoValue{"none"});
    }
  }
}

// What a code is: code, binary, value, value_hex, class.
void AddCodeColumns(const DTypeInfo& info, std::vector<ReportColumn>& columns) {
  const bool narrow = info.total_bits <= kMostBitsShown;
  columns.insert(columns.end(), {{"code", ""},
                                 {"binary", "", ShownIf(narrow)},
                                 {"value", ""},
                                 {"value_hex", "", ShownIf(!narrow)},
                                 {"class", ""}});
}

void AddCode(DType dtype, std::uint64_t code, std::vector<Cell>& cells) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  const double value = DecodeValue(dtype, code);
  cells.insert(cells.end(),
               {CodeText(info, code), BinaryText(info, code), ValueCell(value), HexText(value),
                std::string(ValueClassName(ClassifyCode(dtype, code)))});
}

// The distance from what went in, where both are finite.
Cell ErrorCell(double value, double input) {
  if (std::isnan(value) || std::isnan(input)) return NoValue{"NaN"};
  if (value == input) return 0.0;
  if (std::isinf(value) || std::isinf(input)) return NoValue{"infinite"};
  const double error = value - input;
  if (!std::isfinite(error)) return NoValue{"beyond float64"};
  return error;
}

struct EncodeOptions {
  RoundingMode rounding = RoundingMode::kNearestEven;
  OverflowMode overflow = OverflowMode::kNative;
  std::uint64_t random = 0;
};

Result<EncodeOptions> ParseEncodeOptions(const FormatsFlags& flags) {
  EncodeOptions options;
  if (!flags.rounding.empty()) {
    const auto rounding = ParseRoundingMode(flags.rounding);
    if (!rounding) return tl::unexpected(rounding.error());
    options.rounding = *rounding;
  }
  if (!flags.overflow.empty()) {
    const auto overflow = ParseOverflowMode(flags.overflow);
    if (!overflow) return tl::unexpected(overflow.error());
    options.overflow = *overflow;
  }
  const bool stochastic = options.rounding == RoundingMode::kStochastic;
  if (stochastic == flags.random.empty()) {
    return WrongWords("--rounding stochastic and --random, its 64 random bits, need each other");
  }
  if (stochastic) {
    const auto random = ParseUnsigned(flags.random);
    if (!random) {
      return WrongWords("--random takes 64 bits as 0x..., 0b... or decimal: \"{}\"", flags.random);
    }
    options.random = *random;
  }
  return options;
}

Result<Report> EncodeReport(DType dtype, const FormatsFlags& flags) {
  const auto options = ParseEncodeOptions(flags);
  if (!options) return tl::unexpected(options.error());
  const DTypeInfo& info = GetDTypeInfo(dtype);
  ReportTable table{.key = "encoded", .title = "", .columns = {{"input", ""}}, .rows = {}};
  AddCodeColumns(info, table.columns);
  table.columns.push_back({"error", ""});
  AddNeighbourColumns(info, table.columns);
  for (const std::string& text : flags.encode) {
    const auto input = ParseValue(text);
    if (!input) return tl::unexpected(input.error());
    const std::uint64_t code =
        EncodeValue(dtype, *input, options->rounding, options->overflow, options->random);
    std::vector<Cell> cells{text};
    AddCode(dtype, code, cells);
    cells.push_back(ErrorCell(DecodeValue(dtype, code), *input));
    AddNeighbours(dtype, *input, cells);
    table.rows.push_back(std::move(cells));
  }
  Report report = EmptyReport();
  report.facts = {{"name", std::string(info.name)},
                  {"rounding", std::string(RoundingModeName(options->rounding))},
                  {"overflow", std::string(OverflowModeName(options->overflow))}};
  if (!flags.random.empty()) {
    report.facts.push_back({"random", fmt::format("0x{:016X}", options->random)});
  }
  report.tables = {std::move(table)};
  report.notes = {
      "error: value - input. below and above: the nearest values of the format on either side of "
      "the input."};
  return report;
}

Report CodesReport(DType dtype, std::vector<ReportColumn> columns,
                   std::vector<std::vector<Cell>> rows) {
  Report report = EmptyReport();
  report.facts = {{"name", std::string(DTypeName(dtype))}};
  report.tables = {{"codes", "", std::move(columns), std::move(rows)}};
  return report;
}

Result<Report> DecodeReport(DType dtype, const FormatsFlags& flags) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  std::vector<ReportColumn> columns;
  AddCodeColumns(info, columns);
  AddNeighbourColumns(info, columns);
  std::vector<std::vector<Cell>> rows;
  for (const std::string& text : flags.decode) {
    const auto code = ParseCode(info, text);
    if (!code) return tl::unexpected(code.error());
    AddCode(dtype, *code, rows.emplace_back());
    AddNeighbours(dtype, DecodeValue(dtype, *code), rows.back());
  }
  return CodesReport(dtype, std::move(columns), std::move(rows));
}

Result<Report> AllCodesReport(DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  if (info.total_bits > kMostBitsListed) {
    return WrongWords("--codes lists formats of at most {} bits; {} has {}", kMostBitsListed,
                      info.name, info.total_bits);
  }
  std::vector<ReportColumn> columns;
  AddCodeColumns(info, columns);
  std::vector<std::vector<Cell>> rows(std::size_t{1} << info.total_bits);
  for (std::size_t code = 0; code < rows.size(); ++code) AddCode(dtype, code, rows[code]);
  return CodesReport(dtype, std::move(columns), std::move(rows));
}

// ---- The verb ----------------------------------------------------------------------------------

Result<Report> MakeReport(const FormatsFlags& flags) {
  const bool encodes = !flags.encode.empty();
  const bool decodes = !flags.decode.empty();
  if (!encodes && !(flags.rounding + flags.overflow + flags.random).empty()) {
    return WrongWords(
        "--rounding, --overflow and --random say how to --encode; there is nothing "
        "to encode");
  }
  if (static_cast<int>(encodes) + static_cast<int>(decodes) + static_cast<int>(flags.codes) > 1) {
    return WrongWords("--encode, --decode and --codes exclude each other");
  }
  if (flags.name.empty()) {
    if (encodes || decodes || flags.codes) {
      return WrongWords("--encode, --decode and --codes need the NAME of a format");
    }
    return ListReport();
  }
  const auto format = ParseNumberFormat(flags.name);
  if (!format) return tl::unexpected(format.error());
  if (!encodes && !decodes && !flags.codes) return FormatReport(*format);
  const auto* dtype = std::get_if<DType>(&*format);
  if (dtype == nullptr) {
    const BlockFormatInfo& info = GetBlockFormatInfo(std::get<BlockFormat>(*format));
    return WrongWords(
        "the codes of {} mean nothing without the scale of their block; expected a "
        "format of one element, such as {}",
        info.name, DTypeName(info.element.value_or(DType::kInt8)));
  }
  if (encodes) return EncodeReport(*dtype, flags);
  if (decodes) return DecodeReport(*dtype, flags);
  return AllCodesReport(*dtype);
}

Result<Outcome> RunFormats(const FormatsFlags& flags) {
  const auto format = FindReportFormat(flags.report.format);
  if (!format) return tl::unexpected(format.error());
  const auto report = MakeReport(flags);
  if (!report) return tl::unexpected(report.error());
  const auto written = WriteResult(flags.report, format->write(*report));
  if (!written) return tl::unexpected(written.error());
  return Outcome::kDone;
}

}  // namespace

std::function<Result<Outcome>()> DeclareFormats(CLI::App& command) {
  const auto flags = std::make_shared<FormatsFlags>();
  flags->report.format = "table";
  command
      .add_option("name", flags->name,
                  "A format, by its name, an alias or its word in files. Default: list all")
      ->type_name("NAME");
  command
      .add_option("--encode", flags->encode,
                  "Show the code that X becomes, and what is next to X (may be repeated)")
      ->type_name("X")
      ->allow_extra_args(false);
  command
      .add_option("--decode", flags->decode,
                  "Show what a code stands for, and what is next to it (may be repeated)")
      ->type_name("CODE")
      ->allow_extra_args(false);
  command.add_flag("--codes", flags->codes, "List all codes of a format of at most 16 bits");
  command
      .add_option("--rounding", flags->rounding,
                  "How to --encode: even, away, zero or stochastic. Default: even")
      ->type_name("MODE");
  command
      .add_option("--overflow", flags->overflow,
                  "What becomes of values too large: native (infinity, NaN or the largest, as the "
                  "format has it) or saturate. Default: native")
      ->type_name("MODE");
  command.add_option("--random", flags->random, "The 64 random bits of --rounding stochastic")
      ->type_name("BITS");
  AddReportFlags(command, "table, csv, json or markdown", flags->report);
  command.footer(kExamples);
  return [flags] { return RunFormats(*flags); };
}

}  // namespace narrowgauge::app
