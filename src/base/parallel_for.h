#ifndef NARROWGAUGE_BASE_PARALLEL_FOR_H_
#define NARROWGAUGE_BASE_PARALLEL_FOR_H_

#include <cstdint>
#include <functional>

namespace narrowgauge::internal {

// Calls body(i) once for each i in [0, count) on up to `threads` threads, the calling one among
// them, and returns when all are done. Indices are handed out in order, so what body(i) writes must
// depend on i alone. `progress`, if not empty, is called on the calling thread with the number
// finished. Where body throws, as std::bad_alloc, no further indices are handed out, and one of the
// exceptions is thrown on the calling thread. Fewer threads do where no more are to be had.
void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& body,
                 const std::function<void(std::int64_t)>& progress = {});

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_PARALLEL_FOR_H_
