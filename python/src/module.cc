// SPDX-License-Identifier: Apache-2.0
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <nanobind/nanobind.h>

#include "errors.h"
#include "stream.h"

namespace firth::python {

namespace nb = nanobind;

namespace {

// A capsule releases what nobody took over: consumers clear the `release` pointer when they do.
template <typename T>
nb::object OwningCapsule(std::unique_ptr<T> content, const char* name) {
  PyObject* capsule = PyCapsule_New(content.get(), name, [](PyObject* object) {
    auto* owned = static_cast<T*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
    if (owned->release != nullptr) owned->release(owned);
    delete owned;
  });
  if (capsule == nullptr) {
    if (content->release != nullptr) content->release(content.get());
    throw nb::python_error();
  }
  content.release();
  return nb::steal(capsule);
}

}  // namespace

nb::object SchemaCapsule(const arrow::Schema& schema) {
  auto exported = std::make_unique<ArrowSchema>();
  ThrowIfError(arrow::ExportSchema(schema, exported.get()));
  return OwningCapsule(std::move(exported), "arrow_schema");
}

std::shared_ptr<arrow::Schema> SchemaFromCapsule(const nb::object& capsule) {
  auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_schema"));
  if (schema == nullptr) throw nb::python_error();
  return ValueOrThrow(arrow::ImportSchema(schema));
}

nb::object StreamCapsule(std::shared_ptr<arrow::RecordBatchReader> reader) {
  auto exported = std::make_unique<ArrowArrayStream>();
  ThrowIfError(arrow::ExportRecordBatchReader(std::move(reader), exported.get()));
  return OwningCapsule(std::move(exported), "arrow_array_stream");
}

NB_MODULE(_firth, module) {
  module.doc() = "The C++ core of firth. Use the package firth instead.";
  module.attr("__version__") = FIRTH_VERSION;
  RegisterErrors();
  BindTable(module);
  BindSearch(module);
  BindIndex(module);
  BindWriter(module);
}

}  // namespace firth::python
