#ifndef NARROWGAUGE_STATUS_H_
#define NARROWGAUGE_STATUS_H_

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace narrowgauge {

// Canonical codes. The numbers are those of gRPC, Abseil and PJRT_Error_Code.
enum class StatusCode : int {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,  // Bad words: a flag, a name or a combination that can never be right.
  kDeadlineExceeded = 4,
  kNotFound = 5,  // A file, or a tensor in it, is not there.
  kAlreadyExists = 6,
  kPermissionDenied = 7,    // The system refused access to something that is there.
  kResourceExhausted = 8,   // Out of memory, of disk space, of quota.
  kFailedPrecondition = 9,  // The input is sound but does not fit here: wrong rank, K that differs.
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,  // Known, and not supported by this build.
  kInternal = 13,       // A promise inside narrowgauge was broken.
  kUnavailable = 14,
  kDataLoss = 15,  // A file is malformed, truncated or could not be written whole.
};

// Returns the canonical spelling, such as "INVALID_ARGUMENT".
[[nodiscard]] std::string_view StatusCodeName(StatusCode code);

// What went wrong, in one sentence: the thing, what was wrong, what is accepted, and the variable
// parts last. It is shown to people as it stands.
struct Error {
  StatusCode code = StatusCode::kUnknown;
  std::string message;
};

// Either a value or an Error. Functions that take anything from outside (files, flags, environment)
// return this; nothing in the library throws, aborts or exits on input.
template <typename T>
using Result = tl::expected<T, Error>;

// Returns an Error ready to be returned from a function with any Result<T>.
[[nodiscard]] inline tl::unexpected<Error> MakeError(StatusCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace narrowgauge

#endif  // NARROWGAUGE_STATUS_H_
