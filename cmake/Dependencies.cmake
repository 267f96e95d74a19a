# SPDX-License-Identifier: Apache-2.0
# Every third-party library, and why it is here (docs/architecture.md, "What is not ours").
find_package(Threads REQUIRED)

# Columns, Parquet, compute, file systems. A system Arrow of the same major wins over the wheel.
find_package(Arrow 26 CONFIG QUIET)
if(Arrow_FOUND AND NOT PYARROW_DIR)
  find_package(ArrowCompute 26 CONFIG REQUIRED)
  find_package(Parquet 26 CONFIG REQUIRED)
  add_library(Arrow::arrow ALIAS Arrow::arrow_shared)
  add_library(Arrow::compute ALIAS ArrowCompute::arrow_compute_shared)
  add_library(Arrow::parquet ALIAS Parquet::parquet_shared)
  add_library(Arrow::s3 ALIAS Arrow::arrow_shared)
else()
  find_package(PyArrowCpp REQUIRED)
endif()

find_package(nlohmann_json REQUIRED)               # JSON
find_package(fmt REQUIRED)                         # message formatting, header-only
find_path(SPDLOG_INCLUDE_DIR spdlog/spdlog.h REQUIRED)  # log sink, header-only
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)    # hash of record keys
find_package(ZLIB REQUIRED)                        # CRC-32, deflate of Avro containers
find_package(ICU 72 REQUIRED COMPONENTS uc i18n data)  # Unicode properties, folding, segmentation
find_path(LIBSTEMMER_INCLUDE_DIR libstemmer.h REQUIRED)   # Snowball stemmers
find_library(LIBSTEMMER_LIBRARY stemmer REQUIRED)
find_package(CLI11 REQUIRED)                       # the command line
if(FIRTH_TESTS)
  find_package(GTest REQUIRED)
  enable_testing()
endif()
if(FIRTH_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
if(NOT ICU_VERSION VERSION_EQUAL 72.1 AND NOT ICU_VERSION MATCHES "^72")
  message(WARNING "ICU ${ICU_VERSION} is not 72 (Unicode 15.0): analyzer fingerprints will differ")
endif()

add_library(firth_dependencies INTERFACE)
target_compile_definitions(firth_dependencies INTERFACE FMT_HEADER_ONLY=1 SPDLOG_FMT_EXTERNAL=1
  SPDLOG_HEADER_ONLY=1)
target_include_directories(firth_dependencies SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR} ${SPDLOG_INCLUDE_DIR}
  ${LIBSTEMMER_INCLUDE_DIR})
target_link_libraries(firth_dependencies INTERFACE Arrow::arrow Arrow::compute Arrow::parquet
  nlohmann_json::nlohmann_json fmt::fmt-header-only ZLIB::ZLIB
  ICU::uc ICU::i18n ICU::data ${LIBSTEMMER_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})
