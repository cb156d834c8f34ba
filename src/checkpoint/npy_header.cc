#include "src/checkpoint/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "src/base/checked_math.h"
#include "src/checkpoint/error_text.h"

namespace narrowgauge::internal {
namespace {

constexpr std::size_t kMaxRank = 64;        // NumPy's own limit (NPY_MAXDIMS).
constexpr int kMaxRecordDepth = 32;         // Records in records; bounds the recursion.
constexpr std::size_t kVersionAt = 6;       // After the magic: major, minor,
constexpr std::size_t kHeaderLengthAt = 8;  // then the length, of 2 bytes in version 1, else of 4.

// Whether NumPy has an element of that kind and size.
bool IsElement(char kind, std::uint64_t size) {
  const auto one_of = [size](std::initializer_list<std::uint64_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  };
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return one_of({1, 2, 4, 8});
    case 'f':
      return one_of({2, 4, 8, 12, 16});
    case 'c':
      return one_of({8, 16, 24, 32});
    case 'm':
    case 'M':
      return size == 8;
    case 'S':
    case 'U':
    case 'V':
      return true;
    default:
      return false;
  }
}

// Reads the dict literal. Each method consumes what its name says, with the spaces before it, or
// returns false with error_ set.
class DictParser {
 public:
  DictParser(std::string_view text, std::size_t text_start, int major, std::string_view path)
      : text_(text), text_start_(text_start), major_(major), path_(path) {}

  [[nodiscard]] Result<NpyHeader> Parse() {
    if (Dict()) return std::move(header_);
    return tl::unexpected<Error>(std::move(error_));
  }

 private:
  bool Dict() {
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    if (!Expect('{')) return false;
    while (!Consume('}')) {
      std::string_view key;
      if (!String(key)) return false;
      const std::size_t key_at = at_ - key.size() - 2;
      if (!Expect(':')) return false;
      if (key == "descr" && !std::exchange(has_descr, true)) {
        if (!Descr()) return false;
      } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
        if (!Order()) return false;
      } else if (key == "shape" && !std::exchange(has_shape, true)) {
        if (!Tuple(header_.shape)) return false;
      } else {
        return Fail("unknown or duplicate key in the header",
                    "descr, fortran_order and shape, once each", Quoted(key), key_at);
      }
      if (Consume(',')) continue;
      if (!Expect('}')) return false;
      break;
    }
    if (!has_descr || !has_order || !has_shape) {
      return Fail("a key is missing in the header", "descr, fortran_order and shape",
                  !has_descr ? "descr" : (has_order ? "shape" : "fortran_order"), at_);
    }
    SkipSpaces();
    if (at_ != text_.size()) return Unexpected("only spaces after the dict");
    if (text_.back() != '\n')
      return Fail("header is not closed", "a newline at its end", "none", at_);
    return true;
  }

  bool Descr() {
    std::string_view word;
    if (!Element(header_.element, word, 0)) return false;
    header_.descr = header_.element.kind == kNpyRecord ? "record" : word;
    return true;
  }

  // An element's type, in words or as a list of fields; `word` is empty for the latter.
  bool Element(NpyElement& element, std::string_view& word, int depth) {
    if (Peek('[')) {
      if (depth == kMaxRecordDepth) {
        return Fail("records are nested too deeply",
                    fmt::format("at most {} levels", kMaxRecordDepth), "'['", at_);
      }
      element.kind = kNpyRecord;
      return Record(element.size_bytes, depth);
    }
    if (!Peek('\'') && !Peek('"')) return Unexpected("a dtype in quotes or a list of fields");
    return String(word) && SimpleElement(word, element);
  }

  // [('name', dtype), ('name', dtype, shape), (('title', 'name'), dtype), ...]
  bool Record(std::uint64_t& size_bytes, int depth) {
    if (!Expect('[')) return false;
    do {
      std::uint64_t field_bytes = 0;
      if (!Field(field_bytes, depth)) return false;
      const auto sum = CheckedAdd(size_bytes, field_bytes);
      if (!sum) return Fail("record is too large", "fewer than 2^64 bytes", "descr", at_);
      size_bytes = *sum;
    } while (Consume(',') && !Peek(']'));
    return Expect(']');
  }

  bool Field(std::uint64_t& field_bytes, int depth) {
    std::string_view ignored;
    if (!Expect('(')) return false;
    if (Consume('(')) {
      if (!String(ignored) || !Expect(',') || !String(ignored) || !Expect(')')) return false;
    } else if (!String(ignored)) {
      return false;
    }
    NpyElement element;
    if (!Expect(',') || !Element(element, ignored, depth + 1)) return false;
    field_bytes = element.size_bytes;
    if (Consume(',') && Peek('(')) {
      Shape shape;
      if (!Tuple(shape)) return false;
      for (const std::int64_t dimension : shape) {
        const auto product = CheckedMultiply(field_bytes, static_cast<std::uint64_t>(dimension));
        if (!product)
          return Fail("record is too large", "fewer than 2^64 bytes", ShortShape(shape), at_);
        field_bytes = *product;
      }
      Consume(',');
    }
    return Expect(')');
  }

  // A byte order, a kind and a size, such as <f4; dates carry a unit: <M8[ns].
  bool SimpleElement(std::string_view word, NpyElement& element) {
    const std::size_t word_at = at_ - word.size() - 1;
    const std::string_view order = word.substr(0, 1);
    const std::string_view kind = word.substr(std::min<std::size_t>(1, word.size()), 1);
    if (kind == "O") {
      error_ = {StatusCode::kUnimplemented,
                FileMessage("objects are stored as a pickle, which is never read",
                            "an array of numbers", Quoted(word), path_)};
      return false;
    }
    std::string_view rest = word.substr(std::min<std::size_t>(2, word.size()));
    if ((kind == "m" || kind == "M") && rest.ends_with(']')) rest = rest.substr(0, rest.find('['));
    const std::optional<std::uint64_t> size = Decimal(rest);
    const bool known = size && IsElement(kind[0], *size);
    const bool order_free = known && (*size <= 1 || kind == "S" || kind == "V");
    if (!known || !(order == "<" || order == ">" || order == "=" || (order == "|" && order_free))) {
      return Fail("unknown dtype", "NumPy's byte order, kind and size, such as <f4", Quoted(word),
                  word_at);
    }
    // NumPy counts the characters of U, of four bytes each.
    const auto size_bytes = CheckedMultiply<std::uint64_t>(*size, kind == "U" ? 4 : 1);
    if (!size_bytes)
      return Fail("dtype is too large", "fewer than 2^64 bytes", Quoted(word), word_at);
    element.kind = kind[0];
    element.size_bytes = *size_bytes;
    element.byte_order = order == ">" ? std::endian::big : std::endian::little;
    if (order == "=") element.byte_order = std::endian::native;
    return true;
  }

  bool Order() {
    SkipSpaces();
    for (const auto& [word, order] :
         {std::pair<std::string_view, NpyOrder>{"True", NpyOrder::kFortran},
          {"False", NpyOrder::kC}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      header_.order = order;
      return true;
    }
    return Unexpected("True or False");
  }

  // (), (5,), (2, 3): a tuple of one has a comma.
  bool Tuple(Shape& shape) {
    if (!Expect('(')) return false;
    bool comma = true;
    while (!Consume(')')) {
      if (!comma) return Unexpected("',' or ')'");
      if (shape.size() == kMaxRank) {
        return Fail("shape has too many dimensions", fmt::format("at most {}", kMaxRank), "shape",
                    at_);
      }
      std::int64_t dimension = 0;
      if (!Dimension(dimension)) return false;
      shape.push_back(dimension);
      comma = Consume(',');
    }
    if (shape.size() == 1 && !comma) return Unexpected("',' after the only dimension");
    return true;
  }

  bool Dimension(std::int64_t& dimension) {
    SkipSpaces();
    const std::string_view digits =
        text_.substr(at_, text_.substr(at_).find_first_not_of("0123456789"));
    const std::optional<std::uint64_t> value = Decimal(digits);
    if (!value || *value > std::numeric_limits<std::int64_t>::max()) {
      return Unexpected("a dimension from 0 to 2^63-1");
    }
    at_ += digits.size();
    if (major_ < 3 && text_.substr(at_).starts_with('L'))
      ++at_;  // Python 2 wrote long integers so.
    dimension = static_cast<std::int64_t>(*value);
    return true;
  }

  // Returns the value of digits as Python reads them: no leading zeros.
  static std::optional<std::uint64_t> Decimal(std::string_view digits) {
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
    std::uint64_t value = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') return std::nullopt;
      const auto shifted = CheckedMultiply<std::uint64_t>(value, 10);
      const auto sum =
          shifted ? CheckedAdd(*shifted, static_cast<std::uint64_t>(digit - '0')) : shifted;
      if (!sum) return std::nullopt;
      value = *sum;
    }
    return value;
  }

  // Text in either quote, on one line. Escapes are stepped over, not decoded: only names hold any.
  bool String(std::string_view& content) {
    SkipSpaces();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      return Unexpected("text in quotes");
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2U : 1U;
    }
    if (end >= text_.size() || text_[end] != quote) {
      return Fail("text in the header does not end", "a closing quote", fmt::format("{}", quote),
                  at_);
    }
    content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  void SkipSpaces() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  // Whether `wanted` comes next.
  bool Peek(char wanted) {
    SkipSpaces();
    return at_ < text_.size() && text_[at_] == wanted;
  }

  bool Consume(char wanted) {
    if (!Peek(wanted)) return false;
    ++at_;
    return true;
  }

  bool Expect(char wanted) { return Consume(wanted) || Unexpected(fmt::format("'{}'", wanted)); }

  bool Unexpected(std::string_view accepted) {
    constexpr std::size_t kShown = 8;
    return Fail("header is not a dict as NumPy writes it", accepted,
                at_ == text_.size() ? "the end of the header" : Quoted(text_.substr(at_, kShown)),
                at_);
  }

  bool Fail(std::string_view wrong, std::string_view accepted, std::string_view where,
            std::size_t at) {
    error_ =
        MalformedFile(wrong, accepted, fmt::format("{} at byte {}", where, text_start_ + at), path_)
            .value();
    return false;
  }

  std::string_view text_;
  std::size_t text_start_;  // In the file.
  int major_;
  std::string_view path_;
  std::size_t at_ = 0;
  NpyHeader header_;
  Error error_;
};

}  // namespace

Result<NpyHeader> ParseNpyHeader(std::span<const std::byte> file, std::string_view path) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kNpyMagic)) {
    return MalformedFile("file does not begin as a .npy file", "\"\\x93NUMPY\"",
                         Quoted(text.substr(0, kNpyMagic.size())), path);
  }
  const auto truncated = [&](std::size_t needed) {
    return MalformedFile("header is truncated", fmt::format("at least {} bytes", needed),
                         fmt::format("{} bytes", file.size()), path);
  };
  if (file.size() < kHeaderLengthAt) return truncated(kHeaderLengthAt);
  const int major = std::to_integer<int>(file[kVersionAt]);
  const int minor = std::to_integer<int>(file[kVersionAt + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    return MakeError(StatusCode::kUnimplemented,
                     FileMessage("unknown version of npy", "1.0, 2.0 or 3.0",
                                 fmt::format("{}.{}", major, minor), path));
  }
  const std::size_t text_start = kHeaderLengthAt + (major == 1 ? 2 : 4);
  if (file.size() < text_start) return truncated(text_start);
  std::size_t length = 0;
  for (std::size_t i = text_start; i-- > kHeaderLengthAt;) {
    length = length << 8 | std::to_integer<std::size_t>(file[i]);
  }
  if (length > file.size() - text_start) return truncated(text_start + length);

  Result<NpyHeader> header =
      DictParser(text.substr(text_start, length), text_start, major, path).Parse();
  if (header) header->data_start = text_start + length;
  return header;
}

}  // namespace narrowgauge::internal
