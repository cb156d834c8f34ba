#ifndef NARROWGAUGE_XPLANE_FIELDS_H_
#define NARROWGAUGE_XPLANE_FIELDS_H_

#include <cstdint>

// Field numbers of the wire format (tsl/profiler/protobuf/xplane.proto).

namespace narrowgauge::internal {

namespace space_field {
inline constexpr std::uint32_t kPlanes = 1, kErrors = 2, kWarnings = 3, kHostnames = 4;
}
namespace plane_field {
inline constexpr std::uint32_t kId = 1, kName = 2, kLines = 3, kEventMetadata = 4,
                               kStatMetadata = 5, kStats = 6;
}
namespace line_field {
inline constexpr std::uint32_t kId = 1, kName = 2, kTimestampNs = 3, kEvents = 4;
}
namespace event_field {
inline constexpr std::uint32_t kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4,
                               kNumOccurrences = 5;
}
namespace stat_field {
inline constexpr std::uint32_t kMetadataId = 1, kDouble = 2, kUint64 = 3, kInt64 = 4, kString = 5,
                               kBytes = 6, kRef = 7;
}
namespace map_field {
inline constexpr std::uint32_t kKey = 1, kValue = 2;
}
// XEventMetadata and XStatMetadata agree in these.
namespace metadata_field {
inline constexpr std::uint32_t kId = 1, kName = 2;
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_FIELDS_H_
