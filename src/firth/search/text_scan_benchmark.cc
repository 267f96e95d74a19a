// SPDX-License-Identifier: Apache-2.0
// Bytes of text per second and core: cutting into tokens, predicates, ranked search. The texts are
// the package descriptions under FIRTH_SHARED when they are there, else made from a word list.
#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <benchmark/benchmark.h>
#include <parquet/arrow/reader.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "firth/index/text/text_predicate.h"
#include "firth/search/text_scan.h"

namespace firth {
namespace {

struct Corpus {
  TextBatch batch;
  int64_t bytes = 0;
  const char* name = "";
};

std::shared_ptr<arrow::StringArray> SyntheticTexts(int64_t rows) {
  std::mt19937 random(1);
  arrow::StringBuilder texts;
  std::string text;
  for (int64_t i = 0; i < rows; ++i) {
    text.clear();
    for (int words = 60; words > 0; --words) {
      // About Zipf: the logarithm of the rank is uniform.
      const double rank = std::exp(std::uniform_real_distribution<>(0, 11)(random));
      text += "word" + std::to_string(static_cast<int>(rank)) + (words % 9 == 0 ? ", " : " ");
    }
    static_cast<void>(texts.Append(text));
  }
  return std::static_pointer_cast<arrow::StringArray>(*texts.Finish());
}

std::shared_ptr<arrow::StringArray> PackageTexts(const std::string& path) {
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
  for (int64_t i = 0; i < table->num_rows(); ++i) {
    static_cast<void>(texts.Append(std::string(summary->GetView(i)) + '\n' +
                                   std::string(description->GetView(i))));
  }
  return std::static_pointer_cast<arrow::StringArray>(*texts.Finish());
}

const Corpus& TheCorpus() {
  static const Corpus corpus = [] {
    const char* shared = std::getenv("FIRTH_SHARED");
    const std::string path =
        std::string(shared != nullptr ? shared : "../shared") + "/data/debian/packages.parquet";
    const bool real = std::filesystem::exists(path);
    const auto texts = real ? PackageTexts(path) : SyntheticTexts(60'000);
    Corpus out;
    arrow::StringBuilder keys;
    for (int64_t i = 0; i < texts->length(); ++i) {
      static_cast<void>(keys.Append("key" + std::to_string(i)));
    }
    out.batch.columns = {texts};
    out.batch.keys = *keys.Finish();
    out.bytes = texts->total_values_length();
    out.name = real ? "packages" : "synthetic";
    return out;
  }();
  return corpus;
}

std::shared_ptr<const BoundQuery> Bind(const TextQuery& query) {
  return *BoundQuery::Bind(query, [](const std::string& column) -> Result<AnalyzedColumn> {
    return AnalyzedColumn{column, Analyzer::Default()};
  });
}

void Finish(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * TheCorpus().bytes);
  state.SetLabel(TheCorpus().name);
}

void BM_Tokenize(benchmark::State& state) {
  const auto& texts = static_cast<const arrow::StringArray&>(*TheCorpus().batch.columns[0]);
  std::array<RawToken, 64> batch;
  for (auto _ : state) {
    size_t tokens = 0;
    for (int64_t i = 0; i < texts.length(); ++i) {
      SimpleTokenizer tokenizer = Analyzer::Default()->Tokenize(texts.GetView(i));
      while (const size_t count = tokenizer.Next(batch)) tokens += count;
    }
    benchmark::DoNotOptimize(tokens);
  }
  Finish(state);
}
BENCHMARK(BM_Tokenize)->Unit(benchmark::kMillisecond);

void BM_Analyze(benchmark::State& state) {
  const auto& texts = static_cast<const arrow::StringArray&>(*TheCorpus().batch.columns[0]);
  for (auto _ : state) {
    for (int64_t i = 0; i < texts.length(); ++i) {
      benchmark::DoNotOptimize(Analyzer::Default()->Analyze(texts.GetView(i)));
    }
  }
  Finish(state);
}
BENCHMARK(BM_Analyze)->Unit(benchmark::kMillisecond);

void Rank(benchmark::State& state, const TextQuery& query) {
  const auto bound = Bind(query);
  for (auto _ : state) {
    TextScan scan(bound, int64_t{1} << 28);
    if (!scan.Add({"", "f"}, TheCorpus().batch).ok()) return state.SkipWithError("scan");
    benchmark::DoNotOptimize(scan.Rank(10));
  }
  Finish(state);
}

void BM_RankRareTerm(benchmark::State& state) {
  Rank(state, *MakeMatchQuery("text", "manipulating word4711", ""));
}
void BM_RankFrequentTerms(benchmark::State& state) {
  Rank(state, *MakeMatchQuery("text", "the or that for word1 word2 word3", ""));
}
void BM_RankPhrase(benchmark::State& state) { Rank(state, *MakePhraseQuery("text", "for the", 2)); }
void BM_RankFuzzy(benchmark::State& state) {
  Rank(state, *MakeMatchQuery("text", "paralel procesing", "fuzziness=AUTO"));
}
void BM_RankPrefix(benchmark::State& state) {
  Rank(state, *ParseTextQuery(R"({"prefix":{"column":"text","value":"para"}})"));
}
BENCHMARK(BM_RankRareTerm)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RankFrequentTerms)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RankPhrase)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RankFuzzy)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RankPrefix)->Unit(benchmark::kMillisecond);

void BM_Predicate(benchmark::State& state) {
  TextPredicate predicate(Bind(*MakeMatchQuery("text", "audio plugin", "operator=AND")));
  for (auto _ : state) {
    benchmark::DoNotOptimize(predicate.Evaluate(TheCorpus().batch.columns));
  }
  Finish(state);
}
BENCHMARK(BM_Predicate)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firth
