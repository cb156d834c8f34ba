#include "src/xplane/encode.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/utf8.h"
#include "src/xplane/fields.h"

namespace narrowgauge {
namespace internal {
namespace {

using protozero::pbf_writer;

// Gives each distinct name an id, from 1, in the order of first use. Keeps views, not copies.
class NameTable {
 public:
  std::int64_t Id(std::string_view name) {
    const auto [entry, added] = ids_.try_emplace(name, std::ssize(names_) + 1);
    if (added) names_.push_back(name);
    return entry->second;
  }

  [[nodiscard]] const std::vector<std::string_view>& Names() const { return names_; }

 private:
  std::unordered_map<std::string_view, std::int64_t> ids_;
  std::vector<std::string_view> names_;
};

class StatWriter {
 public:
  StatWriter(pbf_writer& stat, NameTable& names) : stat_(stat), names_(names) {}

  void operator()(std::int64_t value) { stat_.add_int64(stat_field::kInt64, value); }
  void operator()(std::uint64_t value) { stat_.add_uint64(stat_field::kUint64, value); }
  void operator()(double value) { stat_.add_double(stat_field::kDouble, value); }
  void operator()(const std::string& value) {
    stat_.add_uint64(stat_field::kRef, static_cast<std::uint64_t>(names_.Id(value)));
  }

 private:
  pbf_writer& stat_;
  NameTable& names_;
};

// Writes one plane after another into one buffer, and gives up when it grows too large.
class Encoder {
 public:
  explicit Encoder(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  [[nodiscard]] bool Encode(const XSpace& space) {
    pbf_writer writer(bytes_);
    for (const XPlane& plane : space.planes) {
      if (!EncodePlane(plane, writer)) return false;
    }
    const auto add_all = [&](std::uint32_t field, const std::vector<std::string>& texts) {
      for (const std::string& text : texts) writer.add_string(field, text);
    };
    add_all(space_field::kErrors, space.errors);
    add_all(space_field::kWarnings, space.warnings);
    add_all(space_field::kHostnames, space.hostnames);
    return Fits();
  }

  [[nodiscard]] std::string TakeBytes() { return std::move(bytes_); }

 private:
  [[nodiscard]] bool Fits() const { return bytes_.size() <= max_bytes_; }

  [[nodiscard]] bool EncodePlane(const XPlane& plane, pbf_writer& space) {
    NameTable event_names;
    NameTable stat_names;
    pbf_writer writer(space, space_field::kPlanes);
    if (plane.id != 0) writer.add_int64(plane_field::kId, plane.id);
    writer.add_string(plane_field::kName, plane.name);
    for (const XLine& line : plane.lines) {
      pbf_writer line_writer(writer, plane_field::kLines);
      line_writer.add_int64(line_field::kId, line.id);
      line_writer.add_string(line_field::kName, line.name);
      line_writer.add_int64(line_field::kTimestampNs, line.timestamp_ns);
      for (const XEvent& event : line.events) {
        pbf_writer event_writer(line_writer, line_field::kEvents);
        event_writer.add_int64(event_field::kMetadataId, event_names.Id(event.name));
        if (event.num_occurrences != 0) {
          event_writer.add_int64(event_field::kNumOccurrences, event.num_occurrences);
        } else {
          event_writer.add_int64(event_field::kOffsetPs, event.offset_ps);
        }
        event_writer.add_int64(event_field::kDurationPs, event.duration_ps);
        EncodeStats(event.stats, stat_names, event_writer, event_field::kStats);
        if (!Fits()) return false;
      }
    }
    EncodeStats(plane.stats, stat_names, writer, plane_field::kStats);
    // After all that refers to them; readers look names up only when a plane is complete.
    return EncodeNames(event_names, writer, plane_field::kEventMetadata) &&
           EncodeNames(stat_names, writer, plane_field::kStatMetadata);
  }

  [[nodiscard]] bool EncodeNames(const NameTable& table, pbf_writer& plane, std::uint32_t field) {
    std::int64_t id = 0;
    for (const std::string_view name : table.Names()) {
      pbf_writer entry(plane, field);
      entry.add_int64(map_field::kKey, ++id);
      pbf_writer metadata(entry, map_field::kValue);
      metadata.add_int64(metadata_field::kId, id);
      metadata.add_string(metadata_field::kName, name.data(), name.size());
      if (!Fits()) return false;
    }
    return true;
  }

  static void EncodeStats(const std::vector<XStat>& stats, NameTable& names, pbf_writer& parent,
                          std::uint32_t field) {
    for (const XStat& stat : stats) {
      pbf_writer writer(parent, field);
      writer.add_int64(stat_field::kMetadataId, names.Id(stat.name));
      std::visit(StatWriter(writer, names), stat.value);
    }
  }

  std::size_t max_bytes_;
  std::string bytes_;
};

// A text that cannot be written, and why.
struct BadText {
  std::string path;
  bool too_long;
};

// Finds the first such text. Paths are made only for what is found.
class TextChecker {
 public:
  explicit TextChecker(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  [[nodiscard]] std::optional<BadText> Check(const XSpace& space) {
    for (std::size_t p = 0; p < space.planes.size(); ++p) {
      const XPlane& plane = space.planes[p];
      const auto plane_path = [&] { return fmt::format("planes[{}]", p); };
      Check(plane.name, [&] { return plane_path() + ".name"; });
      CheckStats(plane.stats, plane_path);
      for (std::size_t l = 0; l < plane.lines.size(); ++l) {
        const XLine& line = plane.lines[l];
        const auto line_path = [&] { return fmt::format("{}.lines[{}]", plane_path(), l); };
        Check(line.name, [&] { return line_path() + ".name"; });
        for (std::size_t e = 0; e < line.events.size(); ++e) {
          const auto event_path = [&] { return fmt::format("{}.events[{}]", line_path(), e); };
          Check(line.events[e].name, [&] { return event_path() + ".name"; });
          CheckStats(line.events[e].stats, event_path);
        }
      }
    }
    CheckAll(space.errors, "errors");
    CheckAll(space.warnings, "warnings");
    CheckAll(space.hostnames, "hostnames");
    return found_;
  }

 private:
  template <typename Path>
  void Check(std::string_view text, const Path& path) {
    if (found_) return;
    const bool too_long = text.size() > max_bytes_;
    if (too_long || !IsUtf8(text)) found_ = {path(), too_long};
  }

  template <typename Path>
  void CheckStats(const std::vector<XStat>& stats, const Path& parent) {
    for (std::size_t s = 0; s < stats.size(); ++s) {
      const auto path = [&](const char* part) {
        return fmt::format("{}.stats[{}].{}", parent(), s, part);
      };
      Check(stats[s].name, [&] { return path("name"); });
      if (const auto* text = std::get_if<std::string>(&stats[s].value)) {
        Check(*text, [&] { return path("value"); });
      }
    }
  }

  void CheckAll(const std::vector<std::string>& texts, const char* name) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Check(texts[i], [&] { return fmt::format("{}[{}]", name, i); });
    }
  }

  std::size_t max_bytes_;
  std::optional<BadText> found_;
};

tl::unexpected<Error> TooLarge(std::size_t max_bytes) {
  return MakeError(StatusCode::kResourceExhausted,
                   fmt::format("the trace is larger than readers of xplane.pb accept; record fewer "
                               "events; the limit in bytes: {}",
                               max_bytes));
}

}  // namespace

Result<std::string> EncodeXSpaceWithin(const XSpace& space, std::size_t max_bytes) {
  if (const auto bad = TextChecker(max_bytes).Check(space)) {
    if (bad->too_long) return TooLarge(max_bytes);
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("a trace can hold only UTF-8 text; this is not: {}", bad->path));
  }
  Encoder encoder(max_bytes);
  if (!encoder.Encode(space)) return TooLarge(max_bytes);
  return encoder.TakeBytes();
}

}  // namespace internal

Result<std::string> EncodeXSpace(const XSpace& space) {
  return internal::EncodeXSpaceWithin(space, internal::kMaxXSpaceBytes);
}

}  // namespace narrowgauge
