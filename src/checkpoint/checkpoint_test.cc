#include "narrowgauge/checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/checkpoint/test_files.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

using internal::test::LittleEndian;
using internal::test::Npy;
using internal::test::NpyDict;
using internal::test::Safetensors;
using internal::test::Zeros;
using test::TemporaryDirectory;
using testing::HasSubstr;
using testing::Not;

// A reader that holds what a test says it holds.
class FakeReader final : public CheckpointReader {
 public:
  explicit FakeReader(std::vector<TensorInfo> tensors) : tensors_(std::move(tensors)) {}
  [[nodiscard]] std::string_view Format() const override { return "fake"; }
  [[nodiscard]] const std::string& Path() const override { return path_; }
  [[nodiscard]] std::span<const TensorInfo> Tensors() const override { return tensors_; }
  [[nodiscard]] KAxis DefaultKAxis() const override { return KAxis::kLast; }
  [[nodiscard]] Result<TensorView> View(std::size_t /*index*/) override { return TensorView{}; }

 private:
  std::string path_ = "the file";
  std::vector<TensorInfo> tensors_;
};

TensorInfo Tensor(std::string_view name, std::optional<DType> dtype, Shape shape) {
  return {std::string(name), dtype ? std::string(GetDTypeInfo(*dtype).file_name) : "C64", dtype,
          std::move(shape)};
}

Error ErrorOf(const std::vector<TensorInfo>& tensors, std::string_view name) {
  const auto found = FindMatrix(FakeReader(tensors), name);
  return found ? Error{StatusCode::kUnknown, "found"} : found.error();
}

const std::string& SafetensorsFile() {
  static const std::string bytes =
      Safetensors(R"({"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})", Zeros(8));
  return bytes;
}

TEST(OpenCheckpointTest, ChoosesByContentWhateverTheName) {
  const TemporaryDirectory directory;
  const std::string npy = Npy(NpyDict("<f4", "(1, 2)"), Zeros(8));
  for (const std::string_view name : {"a", "a.npy", "a.safetensors", "a.gguf"}) {
    const auto safetensors = OpenCheckpoint(directory.Write(name, SafetensorsFile()));
    ASSERT_TRUE(safetensors.has_value()) << safetensors.error().message;
    EXPECT_EQ((*safetensors)->Format(), "safetensors");
    const auto array = OpenCheckpoint(directory.Write(name, npy));
    ASSERT_TRUE(array.has_value()) << array.error().message;
    EXPECT_EQ((*array)->Format(), "npy");
    EXPECT_EQ((*array)->Path(), directory.Path() / name);
  }
}

TEST(OpenCheckpointTest, BrokenFilesAreJudgedByTheirExtension) {
  const TemporaryDirectory directory;
  const auto safetensors =
      OpenCheckpoint(directory.Write("a.safetensors", LittleEndian(~std::uint64_t{0}, 8) + "{}"));
  EXPECT_EQ(safetensors.error().code, StatusCode::kDataLoss);
  EXPECT_THAT(safetensors.error().message, HasSubstr("header length"));
  const auto npy = OpenCheckpoint(directory.Write("a.npy", ""));
  EXPECT_EQ(npy.error().code, StatusCode::kDataLoss);
  EXPECT_THAT(npy.error().message, HasSubstr("a.npy"));
}

TEST(OpenCheckpointTest, OtherKindsOfFilesAreUnimplemented) {
  const TemporaryDirectory directory;
  for (const std::string_view bytes : {"", "GGUF\x03", "12345678{\"a\":1}", "PK\x03\x04"}) {
    const auto reader = OpenCheckpoint(directory.Write("a.bin", bytes));
    ASSERT_FALSE(reader.has_value());
    EXPECT_EQ(reader.error().code, StatusCode::kUnimplemented);
    EXPECT_THAT(reader.error().message, HasSubstr("expected a .npy or .safetensors file: \""));
  }
}

TEST(OpenCheckpointTest, PassesOnWhatTheSystemSays) {
  const TemporaryDirectory directory;
  EXPECT_EQ(OpenCheckpoint(directory.Path() / "missing.npy").error().code, StatusCode::kNotFound);
  EXPECT_EQ(OpenCheckpoint(directory.Path()).error().code, StatusCode::kFailedPrecondition);
  EXPECT_EQ(OpenCheckpoint("/dev/zero").error().code, StatusCode::kFailedPrecondition);
  const std::string fifo = directory.Path() / "fifo.npy";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(OpenCheckpoint(fifo).error().code, StatusCode::kFailedPrecondition);
}

TEST(FindMatrixTest, FindsTheOnlyFloatingMatrix) {
  const FakeReader reader(
      {Tensor("bias", DType::kFloat32, {2}), Tensor("codes", DType::kInt8, {2, 2}),
       Tensor("w", DType::kBFloat16, {2, 3}), Tensor("complex", std::nullopt, {2, 2})});
  EXPECT_EQ(FindMatrix(reader, ""), 2U);
}

TEST(FindMatrixTest, FindsWhateverIsNamed) {
  const FakeReader reader(
      {Tensor("bias", DType::kFloat32, {2}), Tensor("codes", DType::kInt8, {2, 2})});
  EXPECT_EQ(FindMatrix(reader, "bias"), 0U);
  EXPECT_EQ(FindMatrix(reader, "codes"), 1U);
}

TEST(FindMatrixTest, ListsTheCandidates) {
  const Error error =
      ErrorOf({Tensor("a", DType::kFloat32, {2, 3}), Tensor("bias", DType::kFloat32, {2}),
               Tensor("b", DType::kFloat16, {4, 5})},
              "");
  EXPECT_EQ(error.code, StatusCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr(R"(: "a" F32 [2, 3], "b" F16 [4, 5] in "the file")"));
}

TEST(FindMatrixTest, ListsAtMostTen) {
  std::vector<TensorInfo> tensors;
  for (int i = 0; i < 1000; ++i)
    tensors.push_back(Tensor(fmt::format("w{}", i), DType::kFloat32, {1, 1}));
  const Error error = ErrorOf(tensors, "");
  EXPECT_THAT(error.message, HasSubstr(R"("w9" F32 [1, 1], and 990 more in)"));
  EXPECT_THAT(error.message, Not(HasSubstr("w10")));
  EXPECT_THAT(ErrorOf(tensors, "completely different").message, HasSubstr("and 990 more"));
}

TEST(FindMatrixTest, SaysWhatThereIsInstead) {
  const Error vectors = ErrorOf({Tensor("bias", DType::kFloat32, {2})}, "");
  EXPECT_EQ(vectors.code, StatusCode::kFailedPrecondition);
  EXPECT_THAT(vectors.message, HasSubstr(R"("bias" F32 [2] in "the file")"));
  EXPECT_THAT(ErrorOf({}, "").message, HasSubstr("no tensors in"));
}

TEST(FindMatrixTest, SaysHowToReadTheOnlyMatrix) {
  TensorInfo array = Tensor("", std::nullopt, {2, 2});
  array.stored_dtype = "<V2";
  const Error error = ErrorOf({array}, "");
  EXPECT_EQ(error.code, StatusCode::kFailedPrecondition);
  EXPECT_THAT(error.message, HasSubstr("--npy-dtype"));
}

TEST(FindMatrixTest, OffersTheNearestNames) {
  const Error error = ErrorOf(
      {Tensor("layers.0.q_proj.weight", DType::kFloat32, {1, 1}),
       Tensor("layers.0.k_proj.weight", DType::kFloat32, {1, 1}),
       Tensor("layers.0.v_proj.weight", DType::kFloat32, {1, 1}),
       Tensor("layers.1.v_proj.weight", DType::kFloat32, {1, 1}), Tensor("x", DType::kInt8, {1})},
      "layers.0.q_prj.weight");
  EXPECT_EQ(error.code, StatusCode::kNotFound);
  EXPECT_THAT(error.message,
              HasSubstr(R"((nearest: "layers.0.q_proj.weight", "layers.0.k_proj.weight", )"
                        R"("layers.0.v_proj.weight"): "layers.0.q_prj.weight" in "the file")"));
}

TEST(FindMatrixTest, AnUnnamedArrayCannotBeNamed) {
  const Error error = ErrorOf({Tensor("", DType::kFloat32, {2, 2})}, "w");
  EXPECT_EQ(error.code, StatusCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("has no name"));
}

TEST(FindMatrixTest, HugeNamesCostNoTime) {
  std::vector<TensorInfo> tensors;
  for (int i = 0; i < 20'000; ++i) {
    tensors.push_back(Tensor(fmt::format("{:0>500}", i), DType::kFloat32, {1, 1}));
  }
  EXPECT_EQ(ErrorOf(tensors, std::string(500, '0') + "x").code, StatusCode::kNotFound);
}

TEST(KAxisTest, HasNames) {
  EXPECT_EQ(KAxisName(KAxis::kFirst), "first");
  EXPECT_EQ(KAxisName(KAxis::kLast), "last");
}

}  // namespace
}  // namespace narrowgauge
