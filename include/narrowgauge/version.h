#ifndef NARROWGAUGE_VERSION_H_
#define NARROWGAUGE_VERSION_H_

// Semantic version of the library and the command line. CMakeLists.txt reads it from here.
#define NARROWGAUGE_VERSION "0.1.0"

#endif  // NARROWGAUGE_VERSION_H_
