#ifndef NARROWGAUGE_TRACE_RECORDER_H_
#define NARROWGAUGE_TRACE_RECORDER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Records what threads do and when, for whoever wants to write it down. Knows no file format.

namespace narrowgauge::internal {

// ---- What was recorded: plain values ---------------------------------------------------------

struct RecordedStat {
  std::string name;
  std::variant<std::int64_t, std::uint64_t, double, std::string> value;
  friend bool operator==(const RecordedStat&, const RecordedStat&) = default;
};

// Times count from the start of the recording.
struct RecordedEvent {
  std::string name;
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;
  std::vector<RecordedStat> stats;
  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

struct RecordedThread {
  std::int64_t id = 0;  // From 1, in the order in which buffers were made.
  std::string name;
  std::vector<RecordedEvent> events;  // In the order in which they began.
  friend bool operator==(const RecordedThread&, const RecordedThread&) = default;
};

// No event begins before start_ns or ends after stop_ns.
struct Recording {
  std::int64_t start_ns = 0;  // Since 1970.
  std::int64_t stop_ns = 0;
  std::vector<RecordedThread> threads;
};

// ---- Recording ---------------------------------------------------------------------------------

// A name and a value to attach to an event. Text is not copied until Stop: it must live until then,
// as literals do.
struct Stat {
  std::string_view name;
  std::variant<std::int64_t, std::uint64_t, double, std::string_view> value;
};

// Each thread that records gets a buffer of its own at its first event, the thread that makes the
// recorder before that, so that threads meet nowhere else. The wall clock is read once, at the
// start; everything after counts on the steady clock, in integers, so that no adjustment of the
// wall clock can bend a recording.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Ends the recording and returns it. To be called once, when every scope has ended and whatever
  // ended them happens before this call (a join, for example).
  [[nodiscard]] Recording Stop();

 private:
  friend class Scope;
  friend void RecordInstant(Recorder* recorder, std::string_view name,
                            std::initializer_list<Stat> stats);
  class ThreadBuffer;

  // Returns the calling thread's buffer, made on its first call.
  ThreadBuffer& Buffer();

  std::uint64_t serial_;  // Tells recorders apart that lived at the same address.
  std::chrono::steady_clock::time_point start_;
  std::int64_t start_ns_;
  std::mutex mutex_;  // Guards the list, not the buffers.
  std::vector<std::unique_ptr<ThreadBuffer>> buffers_;
};

// An event from construction to destruction on the calling thread, which must be the same for both.
// With a null recorder all it costs is the test.
class Scope {
 public:
  Scope(Recorder* recorder, std::string_view name, std::initializer_list<Stat> stats = {});
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Recorder::ThreadBuffer* buffer_ = nullptr;
  std::size_t event_ = 0;
};

// Records an event without duration. A null recorder records nothing.
void RecordInstant(Recorder* recorder, std::string_view name, std::initializer_list<Stat> stats);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_TRACE_RECORDER_H_
