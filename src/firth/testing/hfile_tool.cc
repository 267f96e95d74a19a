// SPDX-License-Identifier: Apache-2.0
// HFiles as lines, for tests against other implementations: one entry a line, the key and the value
// as hexadecimal digits with a space between them.
//   firth_hfile_tool write FILE gzip|none BLOCK_BYTES [BLOOM]   entries from standard input
//   firth_hfile_tool read FILE                                  entries to standard output
#include <arrow/io/file.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "firth/format/hfile/hfile_reader.h"
#include "firth/format/hfile/hfile_writer.h"

namespace firth {
namespace {

std::string FromHex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string ToHex(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) digits += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return digits;
}

Status WriteFile(const std::string& path, const HFileWriteOptions& options,
                 std::string_view bloom_filter) {
  ARROW_ASSIGN_OR_RAISE(const auto sink, arrow::io::FileOutputStream::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto writer, HFileWriter::Make(sink, options));
  for (std::string line; std::getline(std::cin, line);) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) return InvalidError("no space in \"{}\"", line);
    ARROW_RETURN_NOT_OK(
        writer->Append(FromHex(line.substr(0, space)), FromHex(line.substr(space + 1))));
  }
  writer->AddInfo("schema", "\"bytes\"");
  if (!bloom_filter.empty()) writer->SetBloomFilter("DYNAMIC_V0", bloom_filter);
  ARROW_RETURN_NOT_OK(writer->Finish());
  return sink->Close();
}

Status ReadFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto reader, HFileReader::Open(std::move(file), {.path = path}));
  ARROW_ASSIGN_OR_RAISE(HFileScanner scanner, reader->Scan());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, scanner.Next());
    if (!more) return Status::OK();
    std::cout << ToHex(scanner.key()) << ' ' << ToHex(scanner.value()) << '\n';
  }
}

Status Run(int argc, char** argv) {
  const std::string_view verb = argc > 2 ? argv[1] : "";
  if (verb == "read") return ReadFile(argv[2]);
  if (verb != "write" || argc < 5) return InvalidError("usage: see the head of hfile_tool.cc");
  HFileWriteOptions options;
  options.codec = std::string_view(argv[3]) == "none" ? HFileCodec::kNone : HFileCodec::kGzip;
  options.block_bytes = std::stoll(argv[4]);
  return WriteFile(argv[2], options, argc > 5 ? argv[5] : "");
}

}  // namespace
}  // namespace firth

int main(int argc, char** argv) {
  const firth::Status status = firth::Run(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
