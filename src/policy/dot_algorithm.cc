#include "narrowgauge/dot_algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "src/base/check.h"
#include "src/policy/words.h"

namespace narrowgauge {
namespace {

using internal::RefuseText;
using internal::Word;

// ---- The table ---------------------------------------------------------------------------------

enum class Backend : std::uint8_t { kStableHlo, kXlaGpu, kTpu, kXlaCpu };
constexpr Word<Backend> kBackends[] = {{"stablehlo", Backend::kStableHlo},
                                       {"xla-gpu", Backend::kXlaGpu},
                                       {"tpu", Backend::kTpu},
                                       {"xla-cpu", Backend::kXlaCpu}};

enum class AlgorithmId : std::uint8_t {
#define NG_DOT_ALGORITHM(algorithm, name, lhs, rhs, accumulation, operations, imprecise) algorithm,
#define NG_DOT_ALGORITHM_FLOAT8(algorithm, name, accumulation, imprecise) algorithm,
#define NG_DOT(algorithm, backend, policy)
#define NG_NO_DOT(algorithm, backend, reason)
#include "src/policy/dot_algorithms.inc"
#undef NG_DOT_ALGORITHM
#undef NG_DOT_ALGORITHM_FLOAT8
#undef NG_DOT
#undef NG_NO_DOT
};

constexpr DType kSomeFloat8 = DType::kFloat8E4M3Fn;

constexpr DotAlgorithm kAlgorithms[] = {
#define NG_DOT_ALGORITHM(algorithm, name, lhs, rhs, accumulation, operations, imprecise) \
  {name, DType::lhs, DType::rhs, false, DType::accumulation, operations, imprecise},
#define NG_DOT_ALGORITHM_FLOAT8(algorithm, name, accumulation, imprecise) \
  {name, kSomeFloat8, kSomeFloat8, true, DType::accumulation, 1, imprecise},
#define NG_DOT(algorithm, backend, policy)
#define NG_NO_DOT(algorithm, backend, reason)
#include "src/policy/dot_algorithms.inc"
#undef NG_DOT_ALGORITHM
#undef NG_DOT_ALGORITHM_FLOAT8
#undef NG_DOT
#undef NG_NO_DOT
};

// What a backend makes of an algorithm: a policy, or why it refuses.
struct Row {
  AlgorithmId algorithm;
  Backend backend;
  std::string_view policy;
  std::string_view reason;
};

constexpr Row kRows[] = {
#define NG_DOT_ALGORITHM(algorithm, name, lhs, rhs, accumulation, operations, imprecise)
#define NG_DOT_ALGORITHM_FLOAT8(algorithm, name, accumulation, imprecise)
#define NG_DOT(algorithm, backend, policy) {AlgorithmId::algorithm, Backend::backend, policy, ""},
#define NG_NO_DOT(algorithm, backend, reason) \
  {AlgorithmId::algorithm, Backend::backend, "", reason},
#include "src/policy/dot_algorithms.inc"
#undef NG_DOT_ALGORITHM
#undef NG_DOT_ALGORITHM_FLOAT8
#undef NG_DOT
#undef NG_NO_DOT
};

const DotAlgorithm& AlgorithmOf(const Row& row) {
  return kAlgorithms[static_cast<std::size_t>(row.algorithm)];
}

std::string NameOf(const Row& row) {
  return fmt::format("{}/{}", AlgorithmOf(row).name, internal::WordOf(row.backend, kBackends));
}

// The policy of a row that has one, for operands of the algorithm's types.
NamedPolicy PolicyOf(const Row& row, const DotAlgorithm& algorithm) {
  const auto policy =
      ParsePolicy(fmt::format(fmt::runtime(row.policy), fmt::arg("x", DTypeName(algorithm.lhs)),
                              fmt::arg("w", DTypeName(algorithm.rhs))));
  NG_CHECK(policy.has_value());
  return {NameOf(row), *policy};
}

// A row that has a policy, and the policy.
struct Dot {
  const Row* row;
  NamedPolicy named;
};

const std::vector<Dot>& AllDots() {
  static const std::vector<Dot> dots = [] {
    std::vector<Dot> parsed;
    for (const Row& row : kRows) {
      if (!row.policy.empty()) parsed.push_back({&row, PolicyOf(row, AlgorithmOf(row))});
    }
    return parsed;
  }();
  return dots;
}

// ---- StableHLO's fields ------------------------------------------------------------------------

// MLIR's name of a float type: f32, bf16, tf32, f8E4M3FN.
std::string MlirName(DType dtype) {
  const std::string_view name = DTypeName(dtype);
  if (name == "bfloat16") return "bf16";
  if (!name.starts_with("float")) return std::string(name);
  const auto [bits, layout] = internal::SplitAtFirst(name.substr(5), '_');
  std::string mlir = fmt::format("f{}", bits);
  for (const char c : layout.value_or("")) {
    mlir.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  return mlir;
}

enum class Field : std::uint8_t {
  kLhs,
  kRhs,
  kAccumulation,
  kLhsCount,
  kRhsCount,
  kOperations,
  kImprecise
};
constexpr Word<Field> kFields[] = {{"lhs_precision_type", Field::kLhs},
                                   {"rhs_precision_type", Field::kRhs},
                                   {"accumulation_type", Field::kAccumulation},
                                   {"lhs_component_count", Field::kLhsCount},
                                   {"rhs_component_count", Field::kRhsCount},
                                   {"num_primitive_operations", Field::kOperations},
                                   {"allow_imprecise_accumulation", Field::kImprecise}};

std::string FieldText(const DotAlgorithm& algorithm, Field field) {
  switch (field) {
    case Field::kLhs:
      return MlirName(algorithm.lhs);
    case Field::kRhs:
      return MlirName(algorithm.rhs);
    case Field::kAccumulation:
      return MlirName(algorithm.accumulation);
    case Field::kLhsCount:
    case Field::kRhsCount:
      return "1";
    case Field::kOperations:
      return fmt::format("{}", algorithm.primitive_operations);
    case Field::kImprecise:
      return algorithm.allows_imprecise ? "true" : "false";
  }
  NG_CHECK(false);
}

bool IsFloat8(DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  return info.kind == DTypeKind::kFloat && info.total_bits == 8;
}

std::optional<DType> Float8Named(std::string_view mlir) {
  const auto dtypes = AllDTypes();
  const auto found = std::ranges::find_if(
      dtypes, [&](DType dtype) { return IsFloat8(dtype) && MlirName(dtype) == mlir; });
  return found == dtypes.end() ? std::nullopt : std::optional(*found);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

using FieldTexts = std::array<std::optional<std::string_view>, std::size(kFields)>;

// Reads "name = value, ...", each field once, in any order.
Result<FieldTexts> ReadFields(std::string_view text) {
  FieldTexts values;
  for (const std::string_view piece : internal::SplitText(text, ',')) {
    const auto [name, value] = internal::SplitAtFirst(piece, '=');
    const auto field = internal::ParseWord("field of a dot algorithm", Trimmed(name), kFields);
    if (!field) return tl::unexpected(field.error());
    auto& slot = values[static_cast<std::size_t>(*field)];
    if (slot || !value) {
      return RefuseText(fmt::format(
          "a field of a dot algorithm is given once, with a value: \"{}\"", Trimmed(piece)));
    }
    slot = Trimmed(*value);
  }
  for (const Word<Field>& field : kFields) {
    if (!values[static_cast<std::size_t>(field.value)]) {
      return RefuseText(
          fmt::format("a dot algorithm needs all its fields; missing: {}", field.word));
    }
  }
  return values;
}

bool Matches(const DotAlgorithm& algorithm, const FieldTexts& values) {
  return std::ranges::all_of(kFields, [&](const Word<Field>& field) {
    const std::string_view value = *values[static_cast<std::size_t>(field.value)];
    const bool is_operand = field.value == Field::kLhs || field.value == Field::kRhs;
    if (algorithm.takes_any_float8 && is_operand) return Float8Named(value).has_value();
    return FieldText(algorithm, field.value) == value;
  });
}

// The first algorithm with these fields, and the operands' types.
Result<DotAlgorithm> AlgorithmWith(std::string_view fields) {
  const auto values = ReadFields(fields);
  if (!values) return tl::unexpected(values.error());
  for (const DotAlgorithm& known : kAlgorithms) {
    if (!Matches(known, *values)) continue;
    DotAlgorithm algorithm = known;
    if (algorithm.takes_any_float8) {
      algorithm.lhs = *Float8Named(*(*values)[static_cast<std::size_t>(Field::kLhs)]);
      algorithm.rhs = *Float8Named(*(*values)[static_cast<std::size_t>(Field::kRhs)]);
    }
    return algorithm;
  }
  return RefuseText(fmt::format(
      "no hardware is known to have this dot algorithm, and StableHLO refuses it: \"{}\"", fields));
}

// JAX's name of what may be XLA's: dot_bf16_bf16_f32_x3.
std::string JaxName(std::string_view name) {
  constexpr std::string_view kXlaPrefix = "dot_";
  if (name.starts_with(kXlaPrefix)) name.remove_prefix(kXlaPrefix.size());
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

Result<DotAlgorithm> AlgorithmNamed(std::string_view text) {
  const std::string name = JaxName(text);
  std::vector<std::string_view> names;
  for (const DotAlgorithm& algorithm : kAlgorithms) {
    if (algorithm.name == name) return algorithm;
    names.push_back(algorithm.name);
  }
  if (name == "DEFAULT") {
    return RefuseText(
        "DEFAULT leaves the algorithm to the backend; name what it takes, such as "
        "TF32_TF32_F32/xla-gpu or BF16_BF16_F32/tpu");
  }
  return RefuseText(internal::UnknownName("dot algorithm", text, names));
}

// An algorithm, in either spelling, and what follows it.
struct Asked {
  DotAlgorithm algorithm;
  std::string_view backend;
};

Result<Asked> ReadAsked(std::string_view text) {
  const std::size_t open = text.find('<');
  const bool has_fields = text.find('=') != std::string_view::npos;
  std::string_view fields = text;
  std::string_view rest;
  if (has_fields && open != std::string_view::npos) {
    const std::size_t close = text.find('>', open);
    if (close == std::string_view::npos) {
      return RefuseText(fmt::format("a dot algorithm's \"<\" needs its \">\": \"{}\"", text));
    }
    fields = text.substr(open + 1, close - open - 1);
    rest = Trimmed(text.substr(close + 1));
    if (!rest.empty() && rest[0] != '/') {
      return RefuseText(fmt::format("what follows a dot algorithm is /BACKEND: \"{}\"", rest));
    }
  } else if (has_fields) {
    const auto [before, after] = internal::SplitAtFirst(text, '/');
    fields = before;
    rest = after ? text.substr(before.size()) : "";
  } else {
    const auto [name, backend] = internal::SplitAtFirst(text, '/');
    fields = name;
    rest = backend ? text.substr(name.size()) : "";
  }
  auto algorithm = has_fields ? AlgorithmWith(fields) : AlgorithmNamed(fields);
  if (!algorithm) return tl::unexpected(algorithm.error());
  return Asked{*algorithm, rest.empty() ? kBackends[0].word : rest.substr(1)};
}

// Whether a unit is one that a backend's products may run on.
bool HasUnit(Backend backend, const HardwareModel& hardware) {
  const std::string_view vendor = internal::SplitAtFirst(hardware.name, '/').first;
  if (backend == Backend::kTpu) return hardware.pass_order == PassOrder::kXlaTpu;
  return backend == Backend::kXlaGpu && (vendor == "nvidia" || vendor == "amd");
}

}  // namespace

std::span<const DotAlgorithm> AllDotAlgorithms() { return kAlgorithms; }

std::string FormatDotAlgorithm(const DotAlgorithm& algorithm) {
  std::vector<std::string> fields;
  for (const Word<Field>& field : kFields) {
    fields.push_back(fmt::format("{} = {}", field.word, FieldText(algorithm, field.value)));
  }
  return fmt::format("#stablehlo.dot_algorithm<{}>", fmt::join(fields, ", "));
}

std::vector<std::string_view> DotBackends() {
  std::vector<std::string_view> names;
  for (const Word<Backend>& backend : kBackends) names.push_back(backend.word);
  return names;
}

Result<NamedPolicy> FollowDotAlgorithm(std::string_view text) {
  const auto asked = ReadAsked(text);
  if (!asked) return tl::unexpected(asked.error());
  const auto backend = internal::ParseWord("backend of a dot algorithm", asked->backend, kBackends);
  if (!backend) return tl::unexpected(backend.error());
  const auto row = std::ranges::find_if(kRows, [&](const Row& candidate) {
    return AlgorithmOf(candidate).name == asked->algorithm.name && candidate.backend == *backend;
  });
  NG_CHECK(row != std::end(kRows));
  if (row->policy.empty()) return RefuseText(fmt::format("{}: {}", NameOf(*row), row->reason));
  return PolicyOf(*row, asked->algorithm);
}

std::vector<std::string> DotAlgorithmsOf(const PrecisionPolicy& policy) {
  const bool are_float8 = IsFloat8(policy.activations.dtype) && IsFloat8(policy.weights.dtype);
  const HardwareModel* const unit = policy.accumulation.hardware;
  std::vector<std::string> names;
  for (const Dot& dot : AllDots()) {
    PrecisionPolicy candidate = dot.named.policy;
    if (AlgorithmOf(*dot.row).takes_any_float8 && are_float8) {
      candidate.activations.dtype = policy.activations.dtype;
      candidate.weights.dtype = policy.weights.dtype;
    }
    const Backend backend = dot.row->backend;
    const bool is_any_unit = backend == Backend::kTpu || candidate.accumulation.hardware == nullptr;
    if (unit != nullptr && is_any_unit && HasUnit(backend, *unit)) {
      candidate.accumulation = {.hardware = unit,
                                .passes = candidate.accumulation.passes,
                                .parts = candidate.accumulation.parts};
    }
    candidate.output = policy.output;  // Any may be asked for.
    if (candidate == policy) names.push_back(dot.named.name);
  }
  return names;
}

std::span<const NamedPolicy> DotAlgorithmPolicies() {
  static const std::vector<NamedPolicy> policies = [] {
    std::vector<NamedPolicy> all;
    for (const Dot& dot : AllDots()) {
      const bool is_new = std::ranges::none_of(
          all, [&](const NamedPolicy& other) { return other.policy == dot.named.policy; });
      if (is_new) all.push_back(dot.named);
    }
    return all;
  }();
  return policies;
}

}  // namespace narrowgauge
