#include "src/checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "src/base/check.h"
#include "src/checkpoint/error_text.h"

namespace narrowgauge::internal {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";
// Tensors need three levels; what is deeper can only be an unknown field.
constexpr std::size_t kMaxDepth = 64;

// What the innermost open object or array is.
enum class Context : std::uint8_t { kHeader, kMetadata, kTensor, kShape, kOffsets, kUnknownField };

struct Level {
  Context context;
  std::set<std::string, std::less<>> keys;  // Those seen so far, of an object.
};

// Receives the events of the JSON parser. A handler that returns false ends the parse; error_ then
// says why. The names of its methods are nlohmann's.
class HeaderHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(std::string_view path) : path_(path) {}

  [[nodiscard]] Result<std::vector<SafetensorsEntry>> Take() {
    if (error_) return tl::unexpected<Error>(*std::move(error_));
    return std::move(entries_);
  }

  bool null() override {
    if (At(Context::kHeader) && name_ == kMetadataKey) return true;
    return Scalar("null");
  }
  bool boolean(bool /*value*/) override { return Scalar("a boolean"); }
  bool number_integer(std::int64_t value) override { return Scalar(std::to_string(value)); }
  bool number_float(double /*value*/, const std::string& text) override { return Scalar(text); }
  bool binary(binary_t& /*value*/) override { return Scalar("binary data"); }

  bool number_unsigned(std::uint64_t value) override {
    if (At(Context::kShape) && value <= std::numeric_limits<std::int64_t>::max()) {
      entry_.shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (At(Context::kOffsets)) {
      if (offset_count_ < offsets_.size()) offsets_[offset_count_] = value;
      ++offset_count_;
      return true;
    }
    return Scalar(std::to_string(value));
  }

  bool string(std::string& value) override {
    if (At(Context::kMetadata)) return true;
    if (At(Context::kTensor) && key_ == "dtype") {
      entry_.dtype = std::move(value);
      return true;
    }
    return Scalar("a string");
  }

  bool start_object(std::size_t /*size*/) override {
    if (levels_.empty()) return Open(Context::kHeader);
    if (At(Context::kHeader)) {
      if (name_ == kMetadataKey) return Open(Context::kMetadata);
      entry_ = {};
      return Open(Context::kTensor);
    }
    return Ignored() ? Open(Context::kUnknownField) : WrongType("an object");
  }

  bool start_array(std::size_t /*size*/) override {
    if (At(Context::kTensor) && key_ == "shape") return Open(Context::kShape);
    if (At(Context::kTensor) && key_ == "data_offsets") {
      offset_count_ = 0;
      return Open(Context::kOffsets);
    }
    return Ignored() ? Open(Context::kUnknownField) : WrongType("an array");
  }

  bool key(std::string& value) override {
    (At(Context::kHeader) ? name_ : key_) = value;
    if (levels_.back().keys.insert(std::move(value)).second) return true;
    return Refuse("duplicate key in the header", "each key once in its object", Where());
  }

  bool end_object() override {
    if (At(Context::kTensor)) {
      for (const std::string_view field : {"dtype", "shape", "data_offsets"}) {
        if (levels_.back().keys.contains(field)) continue;
        return Refuse("a tensor lacks a field", "dtype, shape and data_offsets",
                      fmt::format("\"{}\" of tensor {}", field, Quoted(name_)));
      }
      entry_.name = name_;
      entry_.begin = offsets_[0];
      entry_.end = offsets_[1];
      entries_.push_back(std::move(entry_));
    }
    levels_.pop_back();
    return true;
  }

  bool end_array() override {
    if (At(Context::kOffsets) && offset_count_ != offsets_.size()) {
      return WrongType(fmt::format("{} integers", offset_count_));
    }
    levels_.pop_back();
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*exception*/) override {
    // `position` counts the characters read, the offending one among them.
    return Refuse(
        "header is not valid JSON", "one object in UTF-8, then only whitespace",
        fmt::format("byte {}", kSafetensorsLengthBytes + std::max<std::size_t>(position, 1) - 1));
  }

 private:
  [[nodiscard]] bool At(Context context) const {
    return !levels_.empty() && levels_.back().context == context;
  }

  // Whether any value may stand here.
  [[nodiscard]] bool Ignored() const {
    return At(Context::kUnknownField) ||
           (At(Context::kTensor) && key_ != "dtype" && key_ != "shape" && key_ != "data_offsets");
  }

  bool Open(Context context) {
    if (levels_.size() == kMaxDepth) {
      return Refuse("header is nested too deeply", fmt::format("at most {} levels", kMaxDepth),
                    Where());
    }
    levels_.push_back({context, {}});
    return true;
  }

  bool Scalar(std::string_view found) { return Ignored() || WrongType(found); }

  bool WrongType(std::string_view found) {
    return Refuse("header holds a value of the wrong type", Accepted(),
                  fmt::format("{} for {}", found.substr(0, kLongestQuoted), Where()));
  }

  // What may stand where the parser is.
  [[nodiscard]] std::string_view Accepted() const {
    constexpr std::string_view kIntegers = "an array of integers from 0 to 2^63-1";
    constexpr std::string_view kOffsets = "an array of two integers from 0 to 2^64-1";
    switch (levels_.back().context) {
      case Context::kHeader:
        return name_ == kMetadataKey ? "an object of strings"
                                     : "an object with dtype, shape and data_offsets";
      case Context::kShape:
        return kIntegers;
      case Context::kOffsets:
        return kOffsets;
      case Context::kTensor:
        if (key_ == "shape") return kIntegers;
        return key_ == "dtype" ? "a string" : kOffsets;
      case Context::kMetadata:
      case Context::kUnknownField:
        break;
    }
    return "a string";
  }

  [[nodiscard]] std::string Where() const {
    if (At(Context::kHeader)) return Quoted(name_);
    return fmt::format("{} of {}{}", Quoted(key_), name_ == kMetadataKey ? "" : "tensor ",
                       Quoted(name_));
  }

  bool Refuse(std::string_view wrong, std::string_view accepted, std::string_view where) {
    error_ = MalformedFile(wrong, accepted, where, path_).value();
    return false;
  }

  std::string_view path_;
  std::vector<Level> levels_;
  std::string name_;        // The key at the top level.
  std::string key_;         // The key below it.
  SafetensorsEntry entry_;  // The tensor being read.
  std::array<std::uint64_t, 2> offsets_ = {};
  std::size_t offset_count_ = 0;
  std::vector<SafetensorsEntry> entries_;
  std::optional<Error> error_;
};

}  // namespace

std::uint64_t SafetensorsHeaderLength(std::span<const std::byte> file) {
  NG_CHECK(file.size() >= kSafetensorsLengthBytes);
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kSafetensorsLengthBytes; ++i) {
    length |= std::to_integer<std::uint64_t>(file[i]) << (8 * i);
  }
  return length;
}

Result<std::string_view> SafetensorsHeaderText(std::span<const std::byte> file,
                                               std::string_view path) {
  if (file.size() < kSafetensorsLengthBytes) {
    return MalformedFile("file is too short for safetensors", "at least 8 bytes",
                         fmt::format("{} bytes", file.size()), path);
  }
  const std::uint64_t length = SafetensorsHeaderLength(file);
  if (length > kMaxSafetensorsHeaderBytes) {
    return MalformedFile("header length is over the limit of safetensors",
                         fmt::format("at most {} bytes", kMaxSafetensorsHeaderBytes),
                         fmt::format("{} at byte 0", length), path);
  }
  const std::uint64_t rest = file.size() - kSafetensorsLengthBytes;
  if (length > rest) {
    return MalformedFile("header ends past the end of the file",
                         fmt::format("at most {} bytes", rest), fmt::format("{} at byte 0", length),
                         path);
  }
  return std::string_view(reinterpret_cast<const char*>(file.data()) + kSafetensorsLengthBytes,
                          length);
}

Result<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(std::string_view text,
                                                             std::string_view path) {
  if (text.empty() || text.front() != '{') {
    return MalformedFile("header does not begin with an object", "'{' at byte 8",
                         text.empty() ? "an empty header" : Quoted(text.substr(0, 1)), path);
  }
  // The JSON parser takes a NUL for the end of the text, and would not look behind it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return MalformedFile("header holds a NUL byte", "JSON, padded with spaces",
                         fmt::format("byte {}", kSafetensorsLengthBytes + nul), path);
  }
  HeaderHandler handler(path);
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  return handler.Take();
}

}  // namespace narrowgauge::internal
