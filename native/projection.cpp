#include "projection.h"

#include <algorithm>

#include "parallel_for.h"

namespace lossboard::projection {

std::string Progress::stage() const {
  const std::lock_guard lock(mutex_);
  return stage_;
}

std::optional<std::pair<int, Rows>> Progress::layout() const {
  const std::lock_guard lock(mutex_);
  if (!published_) return std::nullopt;
  return std::pair(published_, layout_);
}

void Progress::begin(const char* stage, double from, double to) {
  {
    const std::lock_guard lock(mutex_);
    stage_ = stage;
    from_ = from;
    to_ = to;
  }
  update(0);
}

void Progress::update(double done) {
  if (cancelled_) throw Cancelled();
  fraction_ = from_ + (to_ - from_) * std::clamp(done, 0.0, 1.0);
}

void Progress::publish(const Rows& layout) {
  const std::lock_guard lock(mutex_);
  layout_ = layout;
  ++published_;
}

void parallel_for(size_t count, size_t chunk, const Progress& progress,
                  const std::function<void(size_t, size_t)>& work) {
  constexpr size_t kMaxThreads = 2;
  const auto work_on_chunk = [&](size_t i) {
    if (!progress.is_cancelled()) work(i * chunk, std::min(count, (i + 1) * chunk));
  };
  const size_t chunks = (count + chunk - 1) / chunk;
  lossboard::parallel_for(chunks, std::min(core_count(), kMaxThreads), [&] { return work_on_chunk; }, [] {});
}

namespace {

constexpr size_t kLanes = 32;

}  // namespace

WIDEST_VECTORS float squared_distance(const float* a, const float* b, size_t size) {
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float d = a[i + lane] - b[i + lane];
      sums[lane] += d * d;
    }
  for (; i < size; ++i) sums[i % kLanes] += (a[i] - b[i]) * (a[i] - b[i]);
  for (size_t width = kLanes / 2; width; width /= 2)
    for (size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  return sums[0];
}

WIDEST_VECTORS float dot(const float* a, const float* b, size_t size) {
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < size; ++i) sums[i % kLanes] += a[i] * b[i];
  for (size_t width = kLanes / 2; width; width /= 2)
    for (size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  return sums[0];
}

}  // namespace lossboard::projection
