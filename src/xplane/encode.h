#ifndef NARROWGAUGE_XPLANE_ENCODE_H_
#define NARROWGAUGE_XPLANE_ENCODE_H_

#include <cstddef>
#include <string>

#include "narrowgauge/xplane.h"

namespace narrowgauge::internal {

// Protobuf readers hold sizes in an int.
inline constexpr std::size_t kMaxXSpaceBytes = (std::size_t{1} << 31) - 1;

// EncodeXSpace with another limit, for its test.
[[nodiscard]] Result<std::string> EncodeXSpaceWithin(const XSpace& space, std::size_t max_bytes);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_ENCODE_H_
