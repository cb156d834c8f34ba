#ifndef NARROWGAUGE_CHECKPOINT_ERROR_TEXT_H_
#define NARROWGAUGE_CHECKPOINT_ERROR_TEXT_H_

#include <string>
#include <string_view>

#include "narrowgauge/checkpoint.h"
#include "narrowgauge/status.h"
#include "narrowgauge/tensor.h"

namespace narrowgauge::internal {

// Returns words from a file as they may be shown: in double quotes, with control characters and
// invalid UTF-8 escaped, and cut after kLongestQuoted bytes.
inline constexpr std::size_t kLongestQuoted = 200;
[[nodiscard]] std::string Quoted(std::string_view text);

// Returns FormatShape(shape), or "[rank N]" where that would be long.
[[nodiscard]] std::string ShortShape(const Shape& shape);

// Returns the message "WRONG; expected ACCEPTED: WHERE in "PATH"".
[[nodiscard]] std::string FileMessage(std::string_view wrong, std::string_view accepted,
                                      std::string_view where, std::string_view path);

// Returns kDataLoss with that message.
[[nodiscard]] tl::unexpected<Error> MalformedFile(std::string_view wrong, std::string_view accepted,
                                                  std::string_view where, std::string_view path);

// Returns the message that says why the `dtype` of a tensor is empty, and what to do.
[[nodiscard]] std::string UnreadableDType(const TensorInfo& tensor, std::string_view path);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_ERROR_TEXT_H_
