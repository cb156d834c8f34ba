#ifndef NARROWGAUGE_XPLANE_WIRE_READER_H_
#define NARROWGAUGE_XPLANE_WIRE_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <string_view>

namespace narrowgauge::internal {

// What a message cannot be. Thrown and caught inside the decoder only.
struct MalformedWire : std::exception {
  explicit MalformedWire(const char* reason) : reason_(reason) {}
  [[nodiscard]] const char* what() const noexcept override { return reason_; }

 private:
  const char* reason_;
};

// Walks over the fields of one message. It reads through protozero's varints but not through its
// pbf_reader, which cuts lengths to 32 bits and asserts what a hostile file may well break.
class WireReader {
 public:
  explicit WireReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Steps to the next field; false at the end of the message.
  [[nodiscard]] bool Next() {
    if (at_ == end_) return false;
    const std::uint64_t key = Varint();
    if (key >> 3 == 0 || key >> 3 > kMaxFieldNumber)
      throw MalformedWire("a field number out of range");
    field_ = static_cast<std::uint32_t>(key >> 3);
    type_ = static_cast<protozero::pbf_wire_type>(key & 7);
    return true;
  }

  [[nodiscard]] std::uint32_t Field() const { return field_; }
  [[nodiscard]] const char* Position() const { return at_; }

  [[nodiscard]] std::int64_t Int64() { return std::bit_cast<std::int64_t>(Uint64()); }
  [[nodiscard]] std::uint64_t Uint64() {
    Expect(protozero::pbf_wire_type::varint);
    return Varint();
  }

  [[nodiscard]] double Double() {
    Expect(protozero::pbf_wire_type::fixed64);
    const std::string_view bytes = Take(8);
    std::uint64_t bits = 0;
    for (std::size_t i = 8; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    return std::bit_cast<double>(bits);
  }

  [[nodiscard]] std::string_view Bytes() {
    Expect(protozero::pbf_wire_type::length_delimited);
    return Take(Varint());
  }

  void Skip() {
    switch (type_) {
      case protozero::pbf_wire_type::varint:
        Varint();
        return;
      case protozero::pbf_wire_type::fixed64:
        Take(8);
        return;
      case protozero::pbf_wire_type::length_delimited:
        Take(Varint());
        return;
      case protozero::pbf_wire_type::fixed32:
        Take(4);
        return;
      default:
        throw MalformedWire("a field of a kind that is not used");
    }
  }

 private:
  static constexpr std::uint64_t kMaxFieldNumber = (1 << 29) - 1;

  void Expect(protozero::pbf_wire_type type) const {
    if (type_ != type) throw MalformedWire("a field of another kind than the format says");
  }

  std::uint64_t Varint() {
    try {
      return protozero::decode_varint(&at_, end_);
    } catch (const protozero::end_of_buffer_exception&) {
      throw MalformedWire("the data ends inside a number");
    } catch (const protozero::varint_too_long_exception&) {
      throw MalformedWire("a number of more than ten bytes");
    }
  }

  std::string_view Take(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(end_ - at_)) {
      throw MalformedWire("a field is longer than what is left");
    }
    const std::string_view taken(at_, static_cast<std::size_t>(size));
    at_ += size;
    return taken;
  }

  const char* at_;
  const char* end_;
  std::uint32_t field_ = 0;
  protozero::pbf_wire_type type_ = protozero::pbf_wire_type::unknown;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_WIRE_READER_H_
