#ifndef NARROWGAUGE_TESTS_SUPPORT_TEST_DATA_H_
#define NARROWGAUGE_TESTS_SUPPORT_TEST_DATA_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgauge::test {

// Returns the path of a file below tests/, such as "golden/keys.json".
[[nodiscard]] std::filesystem::path DataPath(std::string_view name);

// Returns the content of a file; fails the test program if it cannot be read.
[[nodiscard]] std::string ReadBytes(const std::filesystem::path& path);

// Returns the elements of a little-endian, C-order .npy file written by the makers of the golden
// data. A reader of its own, so that the project's does not judge itself.
template <typename T>
[[nodiscard]] std::vector<T> ReadNpy(std::string_view name) {
  const std::string bytes = ReadBytes(DataPath(name));
  const std::size_t header =
      10 + static_cast<unsigned char>(bytes.at(8)) + 256U * static_cast<unsigned char>(bytes.at(9));
  std::vector<T> values((bytes.size() - header) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(T));
  return values;
}

// Returns the value of hexadecimal digits, as the golden files write words.
[[nodiscard]] std::uint64_t ParseHex(const std::string& digits);

[[nodiscard]] inline std::uint32_t BitsOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// Returns the SHA-256 of some bytes in hexadecimal.
[[nodiscard]] std::string Sha256(std::string_view bytes);

// A directory that is removed, with all in it, at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& Path() const { return path_; }
  // Writes a file into it and returns its path.
  std::string Write(std::string_view name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

// Returns the names in a directory, sorted.
[[nodiscard]] std::vector<std::string> NamesIn(const std::filesystem::path& directory);

// Runs `body` in a child process, for limits and users that cannot be taken back, and returns its
// result, or -1 if it was killed.
[[nodiscard]] int InChild(const std::function<int()>& body);

}  // namespace narrowgauge::test

#endif  // NARROWGAUGE_TESTS_SUPPORT_TEST_DATA_H_
