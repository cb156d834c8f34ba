#include "src/backends/native_matmul.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/base/checked_math.h"
#include "src/base/parallel_for.h"
#include "src/numerics/bulk_convert.h"

namespace narrowgauge::internal {
namespace {

// A block of x and one of a panel stay in the second-level cache together.
constexpr std::int64_t kBlockRows = 48;
constexpr std::int64_t kBlockWords = 1024;

// Parts of a product for each thread, so that all end at about the same time.
constexpr std::int64_t kPartsPerThread = 8;

// Multiplications of words below which a second thread takes longer to start than it saves.
constexpr std::int64_t kWorkForThreads = std::int64_t{1} << 22;

// Elements of w that are converted at a time while packing: of a channel, whole words, or of as
// many channels.
constexpr std::int64_t kPackedDepth = 512;
constexpr std::int64_t kPackedColumns = 256;

void CheckSize(const TensorView& tensor) {
  NG_CHECK(tensor.shape.size() == 2);
  const std::int64_t bits = StorageBits(GetDTypeInfo(tensor.dtype));
  const auto bytes =
      static_cast<std::size_t>(DivideUp(tensor.shape[0] * tensor.shape[1] * bits, std::int64_t{8}));
  NG_CHECK(tensor.bytes.size() >= bytes);
}

// Writes a word for each of the columns: element e from the line that lies e * stride bytes on.
template <typename Element>
void Interleave(const std::byte* lines, std::int64_t stride, std::int64_t columns, std::byte* out) {
  constexpr std::int64_t kElements = kWordBytes / std::int64_t{sizeof(Element)};
  for (std::int64_t n = 0; n < columns; ++n) {
    std::uint32_t word = 0;
    for (std::int64_t e = 0; e < kElements; ++e) {
      Element element;
      std::memcpy(&element, lines + e * stride + n * std::int64_t{sizeof element}, sizeof element);
      word |= std::uint32_t{element} << (8 * sizeof element * static_cast<std::size_t>(e)) % 32;
    }
    std::memcpy(out + n * kWordBytes, &word, sizeof word);
  }
}

void InterleaveLines(std::int64_t element_bytes, const std::byte* lines, std::int64_t stride,
                     std::int64_t columns, std::byte* out) {
  switch (element_bytes) {
    case 1:
      return Interleave<std::uint8_t>(lines, stride, columns, out);
    case 2:
      return Interleave<std::uint16_t>(lines, stride, columns, out);
    default:
      return Interleave<std::uint32_t>(lines, stride, columns, out);
  }
}

}  // namespace

// Some rows of x times some panels.
struct NativeWeights::Part {
  const TensorView& x;
  const ElementConverter& converter;
  NativeOutput output = NativeOutput::kSums;
  std::byte* out = nullptr;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_panel = 0;
  std::int64_t panels = 0;
};

NativeWeights::NativeWeights(const NativeKernel& kernel, const Kernels& kernels,
                             const TensorView& w, WeightAxes axes, int threads)
    : kernel_(kernel), kernels_(kernels) {
  CheckSize(w);
  NG_CHECK(TakesOperands(kernel.info, kernel.info.x, w.dtype));
  depth_ = w.shape[axes == WeightAxes::kDepthFirst ? 0 : 1];
  channels_ = w.shape[axes == WeightAxes::kDepthFirst ? 1 : 0];
  elements_ = kWordBytes / ElementBytes(kernel.words);
  words_ = DivideUp(depth_, elements_);
  panels_ = DivideUp(channels_, kernel.tile->panel_columns);
  const std::int64_t columns = panels_ * kernel.tile->panel_columns;
  packed_ = AlignedBytes(static_cast<std::size_t>(columns * words_ * kWordBytes));
  if (kernel.words == NativeWords::kOffsetInt8) starts_.resize(static_cast<std::size_t>(columns));
  const ElementConverter converter(kernels, kernel.words, NativeOperand::kW, w.dtype);
  const std::int64_t group = DivideUp(kPackedColumns, kernel.tile->panel_columns);
  ParallelFor(DivideUp(panels_, group), threads, [&](std::int64_t i) {
    const std::int64_t first = i * group;
    const std::int64_t count = std::min(group, panels_ - first);
    if (axes == WeightAxes::kDepthFirst) {
      PackDepthFirst(converter, w.bytes.data(), first, count);
    } else {
      PackChannelsFirst(converter, w.bytes.data(), first, count);
    }
    if (!starts_.empty()) SetStarts(first, count);
  });
}

std::byte* NativeWeights::Packed(std::int64_t panel, std::int64_t word) const {
  return packed_.Data() + (panel * words_ + word) * kernel_.tile->panel_columns * kWordBytes;
}

void NativeWeights::PackDepthFirst(const ElementConverter& converter, const std::byte* w,
                                   std::int64_t first, std::int64_t count) {
  const std::int64_t width = kernel_.tile->panel_columns;
  const std::int64_t bytes = ElementBytes(kernel_.words);
  const std::int64_t line_bytes = count * width * bytes;
  const std::int64_t columns = std::min(count * width, channels_ - first * width);
  std::vector<std::byte> lines(static_cast<std::size_t>(elements_ * line_bytes));
  for (std::int64_t word = 0; word < words_; ++word) {
    if (elements_ == 1 && columns == count * width) {  // Words already.
      for (std::int64_t i = first; i < first + count; ++i) {
        converter.Convert(w, word * channels_ + i * width, width, 0, Packed(i, word));
      }
      continue;
    }
    for (std::int64_t e = 0; e < elements_; ++e) {
      const std::int64_t k = word * elements_ + e;
      std::byte* const line = lines.data() + e * line_bytes;
      if (k < depth_) {
        converter.Convert(w, k * channels_ + first * width, columns, 0, line);
      } else {
        converter.Convert(w, 0, 0, columns, line);
      }
    }
    for (std::int64_t i = 0; i < count; ++i) {
      InterleaveLines(bytes, lines.data() + i * width * bytes, line_bytes, width,
                      Packed(first + i, word));
    }
  }
}

void NativeWeights::PackChannelsFirst(const ElementConverter& converter, const std::byte* w,
                                      std::int64_t first, std::int64_t count) {
  const std::int64_t width = kernel_.tile->panel_columns;
  const std::int64_t padding = words_ * elements_ - depth_;
  std::vector<std::byte> line(static_cast<std::size_t>(kPackedDepth * ElementBytes(kernel_.words)));
  for (std::int64_t n = first * width; n < (first + count) * width; ++n) {
    for (std::int64_t k = 0; k < depth_; k += kPackedDepth) {
      const std::int64_t part = std::min(kPackedDepth, depth_ - k);
      if (n < channels_) {
        converter.Convert(w, n * depth_ + k, part, k + part == depth_ ? padding : 0, line.data());
      } else {
        std::ranges::fill(line, std::byte{0});
      }
      for (std::int64_t i = 0; i < DivideUp(part, elements_); ++i) {
        std::memcpy(Packed(n / width, k / elements_ + i) + n % width * kWordBytes,
                    line.data() + i * kWordBytes, kWordBytes);
      }
    }
  }
}

// Takes back what adding 128 to each x adds to the sums.
void NativeWeights::SetStarts(std::int64_t first, std::int64_t count) {
  const std::int64_t width = kernel_.tile->panel_columns;
  for (std::int64_t panel = first; panel < first + count; ++panel) {
    std::uint32_t* const starts = starts_.data() + panel * width;
    const std::byte* w = Packed(panel, 0);
    for (std::int64_t word = 0; word < words_; ++word) {
      for (std::int64_t n = 0; n < width; ++n) {
        std::int32_t sum = 0;
        for (std::int64_t e = 0; e < kWordBytes; ++e) sum += static_cast<std::int8_t>(*w++);
        starts[n] -= static_cast<std::uint32_t>(128 * sum);
      }
    }
  }
}

void NativeWeights::Multiply(const TensorView& x, NativeOutput output, std::span<std::byte> out,
                             int threads) const {
  CheckSize(x);
  NG_CHECK(TakesOperands(kernel_.info, x.dtype, kernel_.info.w) && x.shape[1] == depth_);
  const std::int64_t rows = x.shape[0];
  const std::int64_t output_bytes = output == NativeOutput::kSums ? 4 : 2;
  NG_CHECK(out.size() == static_cast<std::size_t>(rows * channels_ * output_bytes));
  NG_CHECK(output == NativeOutput::kSums || kernel_.info.promise != NativePromise::kInt32);
  if (out.empty()) return;

  const ElementConverter converter(kernels_, kernel_.words, NativeOperand::kX, x.dtype);
  if (rows * words_ * channels_ < kWorkForThreads) threads = 1;
  // Blocks of about the same number of rows, as many for each thread.
  const std::int64_t most = DivideUp(DivideUp(rows, kBlockRows), std::int64_t{threads}) * threads;
  const std::int64_t block =
      DivideUp(DivideUp(rows, most), kernel_.tile->tile_rows) * kernel_.tile->tile_rows;
  const std::int64_t blocks = DivideUp(rows, block);
  const std::int64_t parts = threads == 1 ? 1 : DivideUp(kPartsPerThread * threads, blocks);
  const std::int64_t group = DivideUp(panels_, std::min(parts, panels_));
  const std::int64_t groups = DivideUp(panels_, group);
  ParallelFor(blocks * groups, threads, [&](std::int64_t i) {
    const std::int64_t first_row = i / groups * block;
    const std::int64_t first_panel = i % groups * group;
    MultiplyPart({.x = x,
                  .converter = converter,
                  .output = output,
                  .out = out.data(),
                  .first_row = first_row,
                  .rows = std::min(block, rows - first_row),
                  .first_panel = first_panel,
                  .panels = std::min(group, panels_ - first_panel)});
  });
}

// Writes `count` words of each row of a part, from `word` on, row after row.
void NativeWeights::ConvertBlock(const Part& part, std::int64_t word, std::int64_t count,
                                 std::byte* out) const {
  const std::byte* const x = part.x.bytes.data();
  const std::int64_t first = word * elements_;
  const std::int64_t length = std::min(count * elements_, depth_ - first);
  const std::int64_t padding = count * elements_ - length;
  if (length == depth_ && padding == 0) {  // Rows that lie side by side here and there.
    return part.converter.Convert(x, part.first_row * depth_, part.rows * depth_, 0, out);
  }
  for (std::int64_t m = 0; m < part.rows; ++m) {
    part.converter.Convert(x, (part.first_row + m) * depth_ + first, length, padding,
                           out + m * count * kWordBytes);
  }
}

void NativeWeights::MultiplyPart(const Part& part) const {
  const std::int64_t width = kernel_.tile->panel_columns;
  const bool as_they_are = AreWordsOfX(kernel_.words, part.x.dtype) && depth_ % elements_ == 0;
  const std::int64_t first_column = part.first_panel * width;
  const std::int64_t columns = std::min(part.panels * width, channels_ - first_column);

  // Where sums go: to the output, or to memory of their own from which they are rounded.
  const std::int64_t first_output = part.first_row * channels_ + first_column;
  const bool rounds = part.output == NativeOutput::kBFloat16;
  const std::int64_t stride = (rounds ? columns : channels_) * kWordBytes;
  const AlignedBytes own_sums(static_cast<std::size_t>(rounds ? part.rows * stride : 0));
  std::byte* const sums = rounds ? own_sums.Data() : part.out + first_output * kWordBytes;
  AlignedBytes words;
  if (!as_they_are) {
    words = AlignedBytes(
        static_cast<std::size_t>(part.rows * std::min(kBlockWords, words_) * kWordBytes));
  }

  std::int64_t word = 0;
  do {  // Once at least: there are sums of no products, too.
    const std::int64_t count = std::min(kBlockWords, words_ - word);
    TileBlock block = {.x = part.x.bytes.data() + (part.first_row * words_ + word) * kWordBytes,
                       .x_stride = words_ * kWordBytes,
                       .rows = part.rows,
                       .words = count,
                       .sums_stride = stride,
                       .mode = word == 0 ? TileSums::kBegin : TileSums::kResume};
    if (!as_they_are) {
      block.x = words.Data();
      block.x_stride = count * kWordBytes;
      ConvertBlock(part, word, count, words.Data());
    }
    for (std::int64_t i = 0; i < part.panels; ++i) {
      const std::int64_t panel = part.first_panel + i;
      block.panel = Packed(panel, word);
      block.sums = sums + i * width * kWordBytes;
      block.columns = std::min(width, channels_ - panel * width);
      block.starts = starts_.empty() ? nullptr : starts_.data() + panel * width;
      kernel_.tile->multiply(block);
    }
    word += count;
  } while (word < words_);

  if (!rounds) return;
  const auto codec = MakeCodecConstants(GetDTypeInfo(DType::kBFloat16), OverflowMode::kNative);
  for (std::int64_t m = 0; m < part.rows; ++m) {
    kernels_.encode(reinterpret_cast<const float*>(sums + m * stride), columns, *codec,
                    part.out + (first_output + m * channels_) * 2);
  }
}

}  // namespace narrowgauge::internal
