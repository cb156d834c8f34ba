#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "narrowgauge/xplane.h"
#include "src/base/utf8.h"
#include "src/xplane/fields.h"
#include "src/xplane/wire_reader.h"

namespace narrowgauge {
namespace internal {
namespace {

// References let a small file stand for much text: each event may name the same long string. More
// than this for each byte of the file, plus the floor, is no trace.
constexpr std::uint64_t kMaxTextPerByte = 256;
constexpr std::uint64_t kTextFloor = 64 << 20;

// Thrown and caught inside the decoder only.
struct TooMuchText {};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes)
      : bytes_(bytes),
        field_start_(bytes.data()),
        text_left_(bytes.size() * kMaxTextPerByte + kTextFloor) {}

  [[nodiscard]] Result<XSpace> Decode() {
    try {
      return DecodeSpace();
    } catch (const MalformedWire& malformed) {
      return MakeError(
          StatusCode::kDataLoss,
          fmt::format("malformed xplane.pb: {}; at byte {} of {}, in {}", malformed.what(),
                      field_start_ - bytes_.data(), bytes_.size(), Path()));
    } catch (const TooMuchText&) {
      return MakeError(
          StatusCode::kResourceExhausted,
          fmt::format("the names in the trace are repeated beyond {} bytes of text for "
                      "each byte of the file; in {}",
                      kMaxTextPerByte, Path()));
    }
  }

 private:
  using Names = std::unordered_map<std::int64_t, std::string>;

  // One step of the way to the field being read, such as lines[2].
  struct Step {
    const char* name;
    std::size_t index;
  };

  [[nodiscard]] std::string Path() const {
    if (path_.empty()) return "the space itself";
    std::string path;
    for (const auto& [name, index] : path_) {
      fmt::format_to(std::back_inserter(path), "{}{}[{}]", path.empty() ? "" : ".", name, index);
    }
    return path;
  }

  // Calls `decode` with a reader for the message. The step stays on the path if that throws.
  template <typename Function>
  void Enter(const char* name, std::size_t index, std::string_view message, Function decode) {
    path_.push_back({name, index});
    WireReader reader(message);
    decode(reader);
    path_.pop_back();
  }

  // Steps on, and remembers where.
  [[nodiscard]] bool Next(WireReader& reader) {
    field_start_ = reader.Position();
    return reader.Next();
  }

  [[nodiscard]] std::string Text(std::string_view bytes) {
    // U+FFFD takes three bytes where one was.
    return IsUtf8(bytes) ? Spend(std::string(bytes)) : Spend(ReplaceInvalidUtf8(bytes));
  }

  [[nodiscard]] std::string Spend(std::string text) {
    if (text.size() > text_left_) throw TooMuchText();
    text_left_ -= text.size();
    return text;
  }

  // The name behind an id; one that the table lacks reads as "#99".
  [[nodiscard]] std::string Resolve(const Names& names, std::int64_t id) {
    const auto found = names.find(id);
    if (found == names.end()) return fmt::format("#{}", id);
    if (found->second.size() > text_left_) throw TooMuchText();
    return Spend(found->second);
  }

  XSpace DecodeSpace() {
    XSpace space;
    WireReader reader(bytes_);
    while (Next(reader)) {
      switch (reader.Field()) {
        case space_field::kPlanes: {
          const std::size_t index = space.planes.size();
          XPlane& plane = space.planes.emplace_back();
          Enter("planes", index, reader.Bytes(), [&](WireReader& r) { DecodePlane(r, plane); });
          break;
        }
        case space_field::kErrors:
          space.errors.push_back(Text(reader.Bytes()));
          break;
        case space_field::kWarnings:
          space.warnings.push_back(Text(reader.Bytes()));
          break;
        case space_field::kHostnames:
          space.hostnames.push_back(Text(reader.Bytes()));
          break;
        default:
          reader.Skip();
      }
    }
    return space;
  }

  void DecodePlane(WireReader& reader, XPlane& plane) {
    // The tables may come after what refers to them.
    std::vector<std::string_view> lines;
    std::vector<std::string_view> stats;
    Names event_names;
    Names stat_names;
    std::size_t event_metadata = 0;
    std::size_t stat_metadata = 0;
    while (Next(reader)) {
      switch (reader.Field()) {
        case plane_field::kId:
          plane.id = reader.Int64();
          break;
        case plane_field::kName:
          plane.name = Text(reader.Bytes());
          break;
        case plane_field::kLines:
          lines.push_back(reader.Bytes());
          break;
        case plane_field::kStats:
          stats.push_back(reader.Bytes());
          break;
        case plane_field::kEventMetadata:
          Enter("event_metadata", event_metadata++, reader.Bytes(),
                [&](WireReader& r) { DecodeNameEntry(r, event_names); });
          break;
        case plane_field::kStatMetadata:
          Enter("stat_metadata", stat_metadata++, reader.Bytes(),
                [&](WireReader& r) { DecodeNameEntry(r, stat_names); });
          break;
        default:
          reader.Skip();
      }
    }
    for (const std::string_view message : stats) {
      const std::size_t index = plane.stats.size();
      XStat& stat = plane.stats.emplace_back();
      Enter("stats", index, message, [&](WireReader& r) { DecodeStat(r, stat_names, stat); });
    }
    for (const std::string_view message : lines) {
      const std::size_t index = plane.lines.size();
      XLine& line = plane.lines.emplace_back();
      Enter("lines", index, message,
            [&](WireReader& r) { DecodeLine(r, event_names, stat_names, line); });
    }
  }

  // One entry of a table: its key is the id, and of its value only the name is used.
  void DecodeNameEntry(WireReader& reader, Names& names) {
    std::int64_t id = 0;
    std::string name;
    while (Next(reader)) {
      switch (reader.Field()) {
        case map_field::kKey:
          id = reader.Int64();
          break;
        case map_field::kValue:
          Enter("value", 0, reader.Bytes(), [&](WireReader& metadata) {
            while (Next(metadata)) {
              if (metadata.Field() == metadata_field::kName) {
                name = Text(metadata.Bytes());
              } else {
                metadata.Skip();
              }
            }
          });
          break;
        default:
          reader.Skip();
      }
    }
    names.insert_or_assign(id, std::move(name));
  }

  void DecodeLine(WireReader& reader, const Names& event_names, const Names& stat_names,
                  XLine& line) {
    while (Next(reader)) {
      switch (reader.Field()) {
        case line_field::kId:
          line.id = reader.Int64();
          break;
        case line_field::kName:
          line.name = Text(reader.Bytes());
          break;
        case line_field::kTimestampNs:
          line.timestamp_ns = reader.Int64();
          break;
        case line_field::kEvents: {
          const std::size_t index = line.events.size();
          XEvent& event = line.events.emplace_back();
          Enter("events", index, reader.Bytes(),
                [&](WireReader& r) { DecodeEvent(r, event_names, stat_names, event); });
          break;
        }
        default:
          reader.Skip();
      }
    }
  }

  void DecodeEvent(WireReader& reader, const Names& event_names, const Names& stat_names,
                   XEvent& event) {
    std::int64_t id = 0;
    while (Next(reader)) {
      switch (reader.Field()) {
        case event_field::kMetadataId:
          id = reader.Int64();
          break;
        case event_field::kOffsetPs:  // Of this and the next, the last one counts.
          event.offset_ps = reader.Int64();
          event.num_occurrences = 0;
          break;
        case event_field::kNumOccurrences:
          event.num_occurrences = reader.Int64();
          event.offset_ps = 0;
          break;
        case event_field::kDurationPs:
          event.duration_ps = reader.Int64();
          break;
        case event_field::kStats: {
          const std::size_t index = event.stats.size();
          XStat& stat = event.stats.emplace_back();
          Enter("stats", index, reader.Bytes(),
                [&](WireReader& r) { DecodeStat(r, stat_names, stat); });
          break;
        }
        default:
          reader.Skip();
      }
    }
    event.name = Resolve(event_names, id);
  }

  void DecodeStat(WireReader& reader, const Names& names, XStat& stat) {
    std::int64_t id = 0;
    while (Next(reader)) {
      switch (reader.Field()) {
        case stat_field::kMetadataId:
          id = reader.Int64();
          break;
        case stat_field::kDouble:
          stat.value = reader.Double();
          break;
        case stat_field::kUint64:
          stat.value = reader.Uint64();
          break;
        case stat_field::kInt64:
          stat.value = reader.Int64();
          break;
        case stat_field::kString:
        case stat_field::kBytes:
          stat.value = Text(reader.Bytes());
          break;
        case stat_field::kRef:
          stat.value = Resolve(names, reader.Int64());
          break;
        default:
          reader.Skip();
      }
    }
    stat.name = Resolve(names, id);
  }

  std::string_view bytes_;
  const char* field_start_;  // Of the field being read.
  std::vector<Step> path_;
  std::uint64_t text_left_;
};

}  // namespace
}  // namespace internal

Result<XSpace> DecodeXSpace(std::span<const std::byte> bytes) {
  return internal::Decoder({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).Decode();
}

}  // namespace narrowgauge
