#ifndef NARROWGAUGE_XPLANE_H_
#define NARROWGAUGE_XPLANE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "narrowgauge/status.h"

// XProf's trace format (xplane.pb) as plain values: planes hold lines, lines hold events, events
// hold stats. Metadata tables and references, which the wire format uses to store each name once,
// are made when a space is written and resolved when it is read.
//
// Units: timestamps in nanoseconds, offsets and durations in picoseconds, all int64. A line's
// timestamp counts from the start of the profile (an epoch timestamp overflows the viewer's int64
// picoseconds); an event's offset counts from its line's timestamp.

namespace narrowgauge {

struct XStat {
  std::string name;
  std::variant<std::int64_t, std::uint64_t, double, std::string> value;
  friend bool operator==(const XStat&, const XStat&) = default;
};

struct XEvent {
  std::string name;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  std::vector<XStat> stats;
  std::int64_t num_occurrences = 0;  // If not 0: stands for so many events, and has no offset.
  friend bool operator==(const XEvent&, const XEvent&) = default;
};

struct XLine {
  std::int64_t id = 0;
  std::string name;
  std::int64_t timestamp_ns = 0;
  std::vector<XEvent> events;
  friend bool operator==(const XLine&, const XLine&) = default;
};

struct XPlane {
  std::int64_t id = 0;
  std::string name;
  std::vector<XLine> lines;
  std::vector<XStat> stats;
  friend bool operator==(const XPlane&, const XPlane&) = default;
};

struct XSpace {
  std::vector<XPlane> planes;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<std::string> hostnames;
  friend bool operator==(const XSpace&, const XSpace&) = default;
};

// Returns the wire form. The same space gives the same bytes. kInvalidArgument if a name or string
// is not UTF-8 (readers would refuse the whole file), kResourceExhausted at 2 GiB, where protobuf
// readers stop.
[[nodiscard]] Result<std::string> EncodeXSpace(const XSpace& space);

// Reads the wire form; unknown fields are skipped. Text that is not UTF-8 reads with U+FFFD in
// place, a name whose id is in no table as "#" and the id. kDataLoss names the byte offset and the
// field path of what is malformed. Nothing is allocated from a claimed length; kResourceExhausted
// if references repeat text beyond all proportion to the bytes.
[[nodiscard]] Result<XSpace> DecodeXSpace(std::span<const std::byte> bytes);

// Reads a .xplane.pb file. kNotFound, kPermissionDenied, kFailedPrecondition if it is no regular
// file, kResourceExhausted beyond 2 GiB, or as DecodeXSpace with the path named; an empty file is
// kDataLoss.
[[nodiscard]] Result<XSpace> ReadXSpace(const std::string& path);

// What a capture must hold to be believed.
struct CaptureExpectation {
  std::int64_t steps = 0;             // Events with _r = 1 and step_num = 0 .. steps-1, once each.
  std::int64_t started_after_ns = 0;  // Epoch; the profile may not have begun before.
  std::int64_t ended_before_ns = 0;   // Epoch; nor ended later.
};

// What VerifyCapture found; each was checked.
struct CaptureSummary {
  std::uint64_t size_bytes = 0;
  std::int64_t steps = 0;
  std::int64_t events = 0;
  std::int64_t step_time_total_ps = 0;
  std::int64_t profile_start_ns = 0;  // Epoch.
  std::int64_t profile_stop_ns = 0;
};

// Reads a capture back from disk and holds it to `expected`: it parses, it has exactly the steps
// asked for, in order and without overlap, every event lies between the profile's start and stop,
// and these lie where the capture was made, so that a stale file never passes. kDataLoss says which
// did not.
[[nodiscard]] Result<CaptureSummary> VerifyCapture(const std::string& path,
                                                   const CaptureExpectation& expected);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_XPLANE_H_
