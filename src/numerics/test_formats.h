#ifndef NARROWGAUGE_NUMERICS_TEST_FORMATS_H_
#define NARROWGAUGE_NUMERICS_TEST_FORMATS_H_

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "narrowgauge/dtype.h"
#include "src/numerics/example_formats.h"

// Which formats the tests that hold for any format run over.

namespace narrowgauge {

// GoogleTest finds it by the type's namespace.
inline void PrintTo(const DTypeInfo& info, std::ostream* out) { *out << info.name; }

namespace test {

// Returns the table's formats and the made-up one, those that `belongs` accepts.
template <typename Belongs>
std::vector<DTypeInfo> FormatsThat(Belongs belongs) {
  std::vector<DTypeInfo> formats;
  for (const DType dtype : AllDTypes()) formats.push_back(GetDTypeInfo(dtype));
  formats.push_back(internal::examples::kFloat5E3M2NoZero);
  std::erase_if(formats, [&](const DTypeInfo& info) { return !belongs(info); });
  return formats;
}

inline std::string FormatTestName(const testing::TestParamInfo<DTypeInfo>& param) {
  return std::string(param.param.name);
}

}  // namespace test
}  // namespace narrowgauge

#endif  // NARROWGAUGE_NUMERICS_TEST_FORMATS_H_
