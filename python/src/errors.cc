// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "firth/error.h"

namespace firth::python {

namespace nb = nanobind;

nb::str MessageText(std::string_view message) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), /*errors=*/"backslashreplace"));
}

void RegisterErrors() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const StatusException& exception) {
      const arrow::Status& status = exception.status();
      nb::object error =
          nb::module_::import_("firth.errors")
              .attr("from_status")(std::string(ErrorCodeName(GetErrorCode(status))),
                                   MessageText(status.message()), MessageText(GetRemedy(status)));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    }
  });
}

}  // namespace firth::python
