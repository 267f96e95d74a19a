// SPDX-License-Identifier: Apache-2.0
// Ranked queries over real texts against answers that another program computed.
#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "firth/search/text_scan.h"

namespace firth {
namespace {

std::filesystem::path SharedFolder() {
  const char* folder = std::getenv("FIRTH_SHARED");
  return folder != nullptr ? folder : FIRTH_SOURCE_DIR "/../shared";
}

/// The answers take every code point above 0x7F for a letter. A letter in their place gives the
/// default analyzer the same tokens; query terms are ASCII, so no other term appears or vanishes.
void AppendAsLetters(std::string_view text, std::string* out) {
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      out->push_back(c);
    } else if (byte >= 0xC0) {
      out->append("ø");
    }
  }
}

/// Package names as keys, and summary, line feed, description as the text.
TextBatch LoadPackages(const std::string& path) {
  auto reader =
      *parquet::arrow::OpenFile(*arrow::io::ReadableFile::Open(path), arrow::default_memory_pool());
  const std::shared_ptr<arrow::Table> read = *reader->ReadTable();
  const std::shared_ptr<arrow::Table> table = *read->CombineChunks();
  const auto column = [&](const char* name) {
    return std::static_pointer_cast<arrow::StringArray>(table->GetColumnByName(name)->chunk(0));
  };
  const auto summary = column("summary");
  const auto description = column("description");
  arrow::StringBuilder texts;
  std::string text;
  for (int64_t i = 0; i < table->num_rows(); ++i) {
    text.clear();
    AppendAsLetters(summary->GetView(i), &text);
    text += '\n';
    AppendAsLetters(description->GetView(i), &text);
    EXPECT_TRUE(texts.Append(text).ok());
  }
  TextBatch batch;
  batch.columns = {*texts.Finish()};
  batch.keys = column("package");
  return batch;
}

TextQuery QueryOf(const std::string& kind, const std::string& words) {
  if (kind.starts_with("phrase")) return *MakePhraseQuery("text", words, 0);
  return *MakeMatchQuery("text", words, kind.starts_with("and") ? "operator=AND" : "");
}

TextHits Search(const TextQuery& query, const TextBatch& batch) {
  const auto bound =
      *BoundQuery::Bind(query, [](const std::string& column) -> Result<AnalyzedColumn> {
        return AnalyzedColumn{column, Analyzer::Default()};
      });
  TextScan scan(bound, int64_t{1} << 28);
  EXPECT_TRUE(scan.Add({"", "f"}, batch).ok());
  return scan.Rank(10);
}

/// The answers lack the factor k1 + 1, and were computed in double precision and another order.
void ExpectSameRanking(const TextHits& hits, const nlohmann::json& expected) {
  EXPECT_EQ(hits.total, expected["total"].get<int64_t>());
  const auto& top = expected["top"];
  ASSERT_EQ(hits.best.size(), top.size());
  for (size_t i = 0; i < top.size(); ++i) {
    const double score = top[i][1].get<double>() * 2.2;
    const double tolerance = 4e-6 * score;
    EXPECT_NEAR(hits.best[i].score, score, tolerance) << "rank " << i;
    if (hits.best[i].key == top[i][0].get<std::string>()) continue;
    // Neighbours that differ by less than the tolerance may stand in another order.
    bool near = false;
    for (size_t j = 0; j < top.size(); ++j) {
      near |= top[j][0] == hits.best[i].key &&
              std::abs(top[j][1].get<double>() * 2.2 - score) <= tolerance;
    }
    const double last = top.back()[1].get<double>() * 2.2;
    EXPECT_TRUE(near || std::abs(last - hits.best[i].score) <= tolerance)
        << "rank " << i << ": " << hits.best[i].key << " for " << top[i][0];
  }
}

TEST(TextQueries, PackagesGiveTheExpectedRankings) {
  const std::filesystem::path data = SharedFolder() / "data";
  if (!std::filesystem::exists(data / "text_queries/queries.tsv")) {
    GTEST_SKIP() << "no text queries under " << data << "; set FIRTH_SHARED to run this test";
  }
  const TextBatch packages = LoadPackages((data / "debian/packages.parquet").string());
  std::ifstream queries(data / "text_queries/queries.tsv");
  std::ifstream answers(data / "text_queries/expected_top10.jsonl");
  const char* all = std::getenv("FIRTH_ALL_TEXT_QUERIES");  // about a minute in a release build
  const int stride = all != nullptr ? 1 : 101;
  std::string line, answer;
  int run = 0;
  for (int i = 0; std::getline(queries, line) && std::getline(answers, answer); ++i) {
    if (i % stride != 0) continue;
    std::istringstream fields(line);
    std::string id, kind, words;
    std::getline(fields, id, '\t');
    std::getline(fields, kind, '\t');
    std::getline(fields, words, '\t');
    SCOPED_TRACE(kind + " " + words);
    ExpectSameRanking(Search(QueryOf(kind, words), packages), nlohmann::json::parse(answer));
    ++run;
  }
  EXPECT_GE(run, 12);
}

}  // namespace
}  // namespace firth
