// SPDX-License-Identifier: MIT
// pycuda._driver._rtc: the compiler, for pycuda.compiler and the diagnosis.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_cache.h"
#include "base/log.h"
#include "bindings/gil/released.h"
#include "bindings/gil/run_apart.h"
#include "driver/process_driver.h"
#include "rtc/compiler.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

namespace fs = std::filesystem;

rtc::Target target_of(const std::string& name) {
  if (name == "ptx") return rtc::Target::Ptx;
  if (name == "fatbin") return rtc::Target::Fatbin;
  if (name == "cubin") return rtc::Target::Cubin;
  throw nb::value_error("target must be 'cubin', 'ptx' or 'fatbin'");
}

nb::list text_list(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(nb::str(text.c_str(), text.size()));
  return list;
}

nb::dict text_dict(const rtc::NamePairs& pairs) {
  nb::dict dict;
  for (const auto& [key, value] : pairs) dict[nb::str(key.c_str())] = nb::str(value.c_str());
  return dict;
}

/// The compiler's own words may hold bytes of a source in another encoding.
nb::object lenient_text(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

/// What a compilation uses and leaves. It may outlive the call that began it.
struct Compilation {
  rtc::CompileRequest request;
  rtc::Compiled compiled;
  std::exception_ptr failure;
};

/// Raises what a signal's handler raises, such as KeyboardInterrupt: the compilation then goes on
/// by itself, and what comes of it stays in the cache.
rtc::Compiled compile_interruptibly(rtc::Compiler& compiler, rtc::CompileRequest request) {
  {
    const GilReleased released;
    request.only_cached = true;
    rtc::Compiled cached = compiler.compile(request);
    if (cached.image) return cached;
    request.only_cached = false;
  }
  const auto abandoned = std::make_shared<std::atomic<bool>>(false);
  request.abandoned = abandoned;
  const auto it = std::make_shared<Compilation>();
  it->request = std::move(request);
  run_apart(
      [it, &compiler] {
        try {
          it->compiled = compiler.compile(it->request);
        } catch (...) {
          it->failure = std::current_exception();
        }
      },
      [&] {
        *abandoned = true;
        base::log(base::LogLevel::Info,
                  "the compiler was interrupted: it goes on in the background");
        Py_INCREF(nb::find(compiler).ptr());  // for good: it is in use
      });
  if (it->failure) std::rethrow_exception(it->failure);
  return std::move(it->compiled);
}

nb::tuple compile(rtc::Compiler& compiler, const nb::object& failure, rtc::CompileRequest request) {
  rtc::Compiled compiled;
  std::optional<rtc::CompileError> error;
  try {
    compiled = compile_interruptibly(compiler, std::move(request));
  } catch (const rtc::CompileError& caught) {
    error = caught;
  }
  if (error) {
    const nb::tuple arguments = nb::make_tuple(
        lenient_text(error->what()), text_list(error->command()),
        lenient_text(error->standard_output()), lenient_text(error->standard_error()));
    PyErr_SetObject(failure.ptr(), arguments.ptr());
    throw nb::python_error();
  }
  return nb::make_tuple(nb::bytes(compiled.image->data(), compiled.image->size()),
                        lenient_text(compiled.log), compiled.from_cache,
                        compiled.kept_folder.string(), text_dict(compiled.names),
                        text_dict(compiled.kernel_types));
}

/// The process's driver for the diagnosis: loads it, and raises RuntimeError with the reason when
/// there is none.
nb::dict driver_origin() {
  const driver::LoadedDriver& driver = driver::process_driver_origin();
  nb::dict facts;
  facts["library"] = driver.library;
  facts["kind"] = driver.kind == driver::DriverKind::Cpu      ? "CPU"
                  : driver.kind == driver::DriverKind::Nvidia ? "NVIDIA"
                                                              : "other";
  facts["version"] = driver.version;
  facts["functions"] = driver.functions;
  facts["reason"] = driver.reason;
  facts["passed_over"] = driver.passed_over;
  return facts;
}

}  // namespace

void bind_rtc(nb::module_& module) {
  nb::module_ rtc_module =
      module.def_submodule("_rtc", "The run-time compiler (for pycuda.compiler).");
  const nb::object failure = nb::steal(PyErr_NewExceptionWithDoc(
      "pycuda._driver._rtc.CompileFailure",
      "(message, command, stdout, stderr) of a compilation that failed.", nullptr, nullptr));
  rtc_module.attr("CompileFailure") = failure;

  nb::class_<rtc::Compiler>(rtc_module, "Compiler")
      .def(
          "__init__",
          [](rtc::Compiler* self, const std::vector<std::string>& package_folders,
             const std::vector<std::string>& header_folders) {
            rtc::Compiler::Folders folders;
            folders.packages.assign(package_folders.begin(), package_folders.end());
            folders.headers.assign(header_folders.begin(), header_folders.end());
            new (self) rtc::Compiler(std::move(folders));
          },
          nb::arg("package_folders"), nb::arg("header_folders"))
      .def(
          "compile",
          [failure](rtc::Compiler& self, const nb::bytes& source, std::vector<std::string> options,
                    std::vector<std::string> include_folders, std::string arch, std::string code,
                    const std::string& target, const cuda::DeviceTraits& device, bool extern_c,
                    bool keep, std::optional<std::string> cache_folder, std::string nvcc,
                    std::vector<std::string> name_expressions) {
            rtc::CompileRequest request;
            request.source.assign(source.c_str(), source.size());
            request.options = std::move(options);
            request.include_folders = std::move(include_folders);
            request.arch = std::move(arch);
            request.code = std::move(code);
            request.target = target_of(target);
            request.device = device;
            request.extern_c = extern_c;
            request.keep = keep;
            if (cache_folder) request.cache_folder = *cache_folder;
            request.nvcc = std::move(nvcc);
            request.name_expressions = std::move(name_expressions);
            return compile(self, failure, std::move(request));
          },
          nb::arg("source"), nb::arg("options"), nb::arg("include_folders"), nb::arg("arch"),
          nb::arg("code"), nb::arg("target"), nb::arg("device"), nb::arg("extern_c"),
          nb::arg("keep"), nb::arg("cache_folder").none(), nb::arg("nvcc"),
          nb::arg("name_expressions") = std::vector<std::string>{},
          "(image, log, from_cache, kept_folder, names of the expressions, mangled types of "
          "kernels); raises CompileFailure.")
      .def(
          "installations",
          [](rtc::Compiler& self) {
            nb::list list;
            for (const rtc::NvrtcInstallation& installation : self.installations()) {
              nb::list folders;
              for (const fs::path& folder : installation.include_folders)
                folders.append(folder.string());
              list.append(nb::make_tuple(installation.library, installation.origin, folders));
            }
            return list;
          },
          "(library, origin, include folders) of each NVRTC that could be used, best first. Opens "
          "nothing.")
      .def(
          "version",
          [](rtc::Compiler& self, std::size_t index) -> nb::tuple {
            const rtc::NvrtcInstallation installation = self.installations().at(index);
            const auto nvrtc = self.open(installation);
            if (!nvrtc) throw nb::value_error(nvrtc.error().message.c_str());
            nb::list architectures;
            for (const int architecture : (*nvrtc)->architectures())
              architectures.append(architecture);
            return nb::make_tuple((*nvrtc)->major(), (*nvrtc)->minor(), architectures);
          },
          nb::arg("index"),
          "(major, minor, architectures) of an installation; opens it. ValueError if it cannot.")
      .def(
          "carries_headers",
          [](rtc::Compiler& self, std::size_t index) {
            const auto nvrtc = self.open(self.installations().at(index));
            return nvrtc && (*nvrtc)->carries_headers();
          },
          nb::arg("index"), "Whether an installation brings the toolkit's headers; opens it.")
      .def("clear_memory_cache", &rtc::Compiler::clear_memory_cache);

  rtc_module.def("driver_origin", &driver_origin);
  rtc_module.def("default_cache_folder", [] { return base::default_cache_folder().string(); });
  rtc_module.def("cache_bytes",
                 [](const std::string& folder) { return base::FileCache(folder).listed_bytes(); });
  rtc_module.def("find_nvcc",
                 [](const std::string& name) { return rtc::find_nvcc(name).string(); });
  rtc_module.def("missing_message", [] { return rtc::missing_nvrtc_message(); });
}

}  // namespace pycuda::bindings
