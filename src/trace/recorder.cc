#include "src/trace/recorder.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <thread>
#include <type_traits>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Room that a thread gets at its first event, so that a short recording never allocates again.
constexpr std::size_t kEventsReserved = 1024;
constexpr std::size_t kStatsReserved = 8 * kEventsReserved;

constexpr std::int64_t kStillOpen = -1;

std::string CurrentThreadName() {
  std::array<char, 64> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) return "thread";
  return name.data();
}

// The buffer that the calling thread used last, and whose it is.
struct CachedBuffer {
  std::uint64_t serial = 0;
  void* buffer = nullptr;
};
thread_local CachedBuffer cached_buffer;

}  // namespace

class Recorder::ThreadBuffer {
 public:
  explicit ThreadBuffer(steady_clock::time_point start)
      : thread_(std::this_thread::get_id()), name_(CurrentThreadName()), start_(start) {
    events_.reserve(kEventsReserved);
    stats_.reserve(kStatsReserved);
  }

  [[nodiscard]] std::thread::id Thread() const { return thread_; }

  [[nodiscard]] bool Empty() const { return events_.empty(); }

  // Returns the index of a new event. The clock is read last, so that the work of recording stays
  // outside what is recorded.
  std::size_t Begin(std::string_view name, std::initializer_list<Stat> stats) {
    stats_.insert(stats_.end(), stats.begin(), stats.end());
    events_.push_back({name, 0, kStillOpen, stats_.size()});
    events_.back().start_ps = NowPs();
    return events_.size() - 1;
  }

  void End(std::size_t event) {
    const std::int64_t now_ps = NowPs();
    events_[event].duration_ps = now_ps - events_[event].start_ps;
  }

  void Instant(std::string_view name, std::initializer_list<Stat> stats) {
    events_[Begin(name, stats)].duration_ps = 0;
  }

  [[nodiscard]] RecordedThread Take(std::int64_t id) const {
    RecordedThread thread{id, name_, {}};
    thread.events.reserve(events_.size());
    std::size_t stat = 0;
    for (const Event& event : events_) {
      NG_CHECK(event.duration_ps != kStillOpen);
      RecordedEvent& recorded = thread.events.emplace_back();
      recorded.name = event.name;
      recorded.start_ps = event.start_ps;
      recorded.duration_ps = event.duration_ps;
      for (; stat < event.stats_end; ++stat) recorded.stats.push_back(Copy(stats_[stat]));
    }
    return thread;
  }

 private:
  struct Event {
    std::string_view name;
    std::int64_t start_ps;
    std::int64_t duration_ps;
    std::size_t stats_end;  // Its stats are those from the end of the event before.
  };

  static RecordedStat Copy(const Stat& stat) {
    RecordedStat copy{std::string(stat.name), {}};
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string_view>) {
            copy.value = std::string(value);
          } else {
            copy.value = value;
          }
        },
        stat.value);
    return copy;
  }

  [[nodiscard]] std::int64_t NowPs() const {
    return duration_cast<nanoseconds>(steady_clock::now() - start_).count() * 1000;
  }

  std::thread::id thread_;
  std::string name_;
  steady_clock::time_point start_;
  std::vector<Event> events_;
  std::vector<Stat> stats_;
};

Recorder::Recorder() {
  static std::atomic<std::uint64_t> serials = 0;
  serial_ = ++serials;
  const auto epoch = std::chrono::system_clock::now().time_since_epoch();
  start_ = steady_clock::now();
  start_ns_ = duration_cast<nanoseconds>(epoch).count();
  Buffer();  // So that the first event of this thread does not wait for its memory.
}

Recorder::~Recorder() = default;

Recorder::ThreadBuffer& Recorder::Buffer() {
  if (cached_buffer.serial != serial_) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [](const auto& buffer) {
      return buffer->Thread() == std::this_thread::get_id();
    });
    // A thread's id may come round again after it has ended; its buffer then goes on with the
    // events of the new one, which cannot overlap.
    ThreadBuffer* buffer =
        found != buffers_.end()
            ? found->get()
            : buffers_.emplace_back(std::make_unique<ThreadBuffer>(start_)).get();
    cached_buffer = {serial_, buffer};
  }
  return *static_cast<ThreadBuffer*>(cached_buffer.buffer);
}

Recording Recorder::Stop() {
  Recording recording;
  recording.start_ns = start_ns_;
  recording.stop_ns = start_ns_ + duration_cast<nanoseconds>(steady_clock::now() - start_).count();
  const std::lock_guard lock(mutex_);
  for (const auto& buffer : buffers_) {
    if (buffer->Empty()) continue;
    recording.threads.push_back(buffer->Take(std::ssize(recording.threads) + 1));
  }
  return recording;
}

Scope::Scope(Recorder* recorder, std::string_view name, std::initializer_list<Stat> stats) {
  if (recorder == nullptr) return;
  buffer_ = &recorder->Buffer();
  event_ = buffer_->Begin(name, stats);
}

Scope::~Scope() {
  if (buffer_ != nullptr) buffer_->End(event_);
}

void RecordInstant(Recorder* recorder, std::string_view name, std::initializer_list<Stat> stats) {
  if (recorder != nullptr) recorder->Buffer().Instant(name, stats);
}

}  // namespace narrowgauge::internal
