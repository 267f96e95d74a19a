// SPDX-License-Identifier: Apache-2.0
// The truth tables of spec 02 section 4.6, and random histories against a scalar fold.
#include "firth/read/log_merger.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "firth/common/arrow_init.h"
#include "firth/read/output_stage.h"

namespace firth {
namespace {

using Kind = OrderingValue::Kind;

enum class Source { kBase, kData, kDeleteBlock };

// One version of the key at hand. Its payload is its position in the history: "B", "1", "2", ...
struct Event {
  Source source;
  std::optional<int64_t> ordering;  // nullopt: null (data), natural order (delete)
  Kind wrapper = Kind::kLong;       // of a delete block's value
};

Event B(int64_t o) { return {Source::kBase, o}; }
Event L(int64_t o) { return {Source::kData, o}; }
Event D(int64_t o, Kind wrapper = Kind::kLong) { return {Source::kDeleteBlock, o, wrapper}; }
Event D0() { return {Source::kDeleteBlock, std::nullopt}; }

OrderingValue Wrap(const Event& event) {
  OrderingValue value;
  if (!event.ordering) {
    value.kind = Kind::kInt;
    value.value = int64_t{0};
    return value;
  }
  value.kind = event.wrapper;
  value.value = *event.ordering;
  return value;
}

class MergeFixture {
 public:
  MergeFixture(MergeMode mode, std::shared_ptr<arrow::DataType> ordering_type) {
    ARROW_UNUSED(InitializeArrow());
    auto context = std::make_shared<ReadContext>();
    context->config.version = 9;
    context->config.merge.mode = mode;
    if (mode == MergeMode::kEventTime) context->config.merge.ordering_fields = {"ts"};
    schema_ =
        arrow::schema({arrow::field("_hoodie_record_key", arrow::utf8()),
                       arrow::field("ts", ordering_type), arrow::field("payload", arrow::utf8())});
    context->schema.full = schema_;
    plan_ = MakeMergePlan(*context, schema_).ValueOrDie();
  }

  std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<std::string>& keys,
                                           const std::vector<std::optional<int64_t>>& orderings,
                                           const std::vector<std::string>& payloads) const {
    arrow::StringBuilder key_builder, payload_builder;
    arrow::Int64Builder longs;
    arrow::StringBuilder texts;
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(key_builder.Append(keys[i]).ok());
      EXPECT_TRUE(payload_builder.Append(payloads[i]).ok());
      EXPECT_TRUE((orderings[i] ? longs.Append(*orderings[i]) : longs.AppendNull()).ok());
      EXPECT_TRUE(
          (orderings[i] ? texts.Append(std::to_string(*orderings[i])) : texts.AppendNull()).ok());
    }
    const bool is_text = schema_->field(1)->type()->id() == arrow::Type::STRING;
    return arrow::RecordBatch::Make(
        schema_, static_cast<int64_t>(keys.size()),
        {key_builder.Finish().ValueOrDie(),
         is_text ? texts.Finish().ValueOrDie() : longs.Finish().ValueOrDie(),
         payload_builder.Finish().ValueOrDie()});
  }

  LogBatch Data(std::shared_ptr<arrow::RecordBatch> rows) const {
    LogBatch batch;
    batch.keys = plan_.keys.Of(*rows).ValueOrDie();
    batch.ordering = plan_.ordering.FromRows(*rows).ValueOrDie();
    EXPECT_TRUE(plan_.deletes.Mark(*rows, &batch.ordering.flags).ok());
    batch.rows = std::move(rows);
    return batch;
  }

  LogBatch Deletes(const std::vector<DeleteRecord>& deletes) const {
    LogBatch batch;
    arrow::StringBuilder keys;
    for (const DeleteRecord& entry : deletes) EXPECT_TRUE(keys.Append(entry.record_key).ok());
    batch.keys = keys.Finish().ValueOrDie();
    batch.ordering = plan_.ordering.FromDeletes(deletes).ValueOrDie();
    return batch;
  }

  // Payloads of what comes out, in order.
  std::vector<std::string> Merge(std::shared_ptr<arrow::RecordBatch> base,
                                 std::vector<LogBatch> logs) const {
    LogMerger merger(plan_, plan_.combines());
    for (LogBatch& batch : logs) EXPECT_TRUE(merger.Add(std::move(batch)).ok());
    std::vector<std::string> out;
    if (base) {
      const BaseMerge merge = merger
                                  .MergeBase(base, *plan_.keys.Of(*base).ValueOrDie(),
                                             plan_.ordering.FromRows(*base).ValueOrDie())
                                  .ValueOrDie();
      Collect(KeepRows(base, merge.keep).ValueOrDie(), &out);
    }
    const auto leftovers = merger.Leftovers();
    for (size_t i = 0; i < leftovers.size(); ++i) {
      if (merger.batches()[i].rows) {
        Collect(KeepRows(merger.batches()[i].rows, leftovers[i]).ValueOrDie(), &out);
      }
    }
    return out;
  }

  std::string Merge(const std::vector<Event>& history) const {
    std::shared_ptr<arrow::RecordBatch> base;
    std::vector<LogBatch> logs;
    int number = 0;
    for (const Event& event : history) {
      if (event.source == Source::kBase) {
        base = Rows({"k"}, {event.ordering}, {"B"});
      } else if (event.source == Source::kData) {
        logs.push_back(Data(Rows({"k"}, {event.ordering}, {std::to_string(++number)})));
      } else {
        ++number;
        logs.push_back(Deletes({{"k", "", Wrap(event)}}));
      }
    }
    const std::vector<std::string> out = Merge(base, std::move(logs));
    return out.empty() ? "gone" : out.size() == 1 ? out[0] : "several";
  }

 private:
  static void Collect(const std::shared_ptr<arrow::RecordBatch>& rows,
                      std::vector<std::string>* out) {
    const auto& column = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("payload"));
    for (int64_t i = 0; i < column.length(); ++i) out->push_back(column.GetString(i));
  }

  std::shared_ptr<arrow::Schema> schema_;
  MergePlan plan_;
};

struct TruthCase {
  const char* row;  // of the table
  std::vector<Event> history;
  const char* event_time;
  const char* commit_time;
};

const std::vector<TruthCase>& TruthTable() {
  static const std::vector<TruthCase> kCases = {
      {"1", {B(10), L(20)}, "1", "1"},
      {"2", {B(10), L(10)}, "1", "1"},
      {"3", {B(10), L(5)}, "B", "1"},
      {"4", {B(10), D(20)}, "gone", "gone"},
      {"5", {B(10), D(10)}, "gone", "gone"},
      {"6", {B(10), D(5)}, "B", "gone"},
      {"7", {B(10), D0()}, "gone", "gone"},
      {"8", {L(5)}, "1", "1"},
      {"9", {D(7)}, "gone", "gone"},
      {"10", {L(5), L(3)}, "1", "2"},
      {"11", {L(5), L(5)}, "2", "2"},
      {"12", {L(5), D(3)}, "1", "gone"},
      {"12b", {L(5), D(3, Kind::kInt)}, "gone", "gone"},
      {"13", {L(5), D(5)}, "gone", "gone"},
      {"14", {L(5), D0()}, "gone", "gone"},
      {"15", {D(10), L(5)}, "gone", "2"},
      {"16", {B(20), D(10), L(5)}, "B", "2"},
      {"17", {B(3), D(10), L(5)}, "gone", "2"},
      {"18", {D0(), L(5)}, "2", "2"},
      {"19", {B(10), D0(), L(5)}, "B", "2"},
      {"20", {B(10), D0(), L(10)}, "2", "2"},
      {"21", {D(10), D(5)}, "gone", "gone"},
      {"21, then what only D(10) beats", {D(10), D(5), L(7)}, "gone", "3"},
      {"22, then base", {B(10), D0(), D(5)}, "gone", "gone"},
      {"23, then base", {B(10), D(5), D0()}, "gone", "gone"},
  };
  return kCases;
}

TEST(LogMerger, FollowsTheTruthTableByEventTime) {
  const MergeFixture fixture(MergeMode::kEventTime, arrow::int64());
  for (const TruthCase& test : TruthTable()) {
    EXPECT_EQ(fixture.Merge(test.history), test.event_time) << "row " << test.row;
  }
}

TEST(LogMerger, FollowsTheTruthTableByCommitTime) {
  const MergeFixture fixture(MergeMode::kCommitTime, arrow::int64());
  for (const TruthCase& test : TruthTable()) {
    EXPECT_EQ(fixture.Merge(test.history), test.commit_time) << "row " << test.row;
  }
}

// Row 24: Java throws; the delete is taken at its word.
TEST(LogMerger, DeleteOfAForeignOrderingTypeDeletes) {
  const MergeFixture fixture(MergeMode::kEventTime, arrow::utf8());
  EXPECT_EQ(fixture.Merge({B(10), D(5, Kind::kInt)}), "gone");
}

// Row 26: a block's records are folded one after the other.
TEST(LogMerger, SameKeyTwiceInOneBlockIsFoldedInOrder) {
  const MergeFixture by_time(MergeMode::kEventTime, arrow::int64());
  EXPECT_THAT(by_time.Merge(nullptr, {}), testing::IsEmpty());
  std::vector<LogBatch> logs;
  logs.push_back(by_time.Data(by_time.Rows({"k", "k", "k"}, {5, 9, 7}, {"a", "b", "c"})));
  EXPECT_THAT(by_time.Merge(nullptr, std::move(logs)), testing::ElementsAre("b"));
  const MergeFixture by_commit(MergeMode::kCommitTime, arrow::int64());
  logs.clear();
  logs.push_back(by_commit.Data(by_commit.Rows({"k", "k", "k"}, {5, 9, 7}, {"a", "b", "c"})));
  EXPECT_THAT(by_commit.Merge(nullptr, std::move(logs)), testing::ElementsAre("c"));
}

TEST(LogMerger, FurtherBaseRowsOfAKeyStay) {
  const MergeFixture fixture(MergeMode::kCommitTime, arrow::int64());
  std::vector<LogBatch> logs;
  logs.push_back(fixture.Data(fixture.Rows({"k"}, {1}, {"new"})));
  EXPECT_THAT(
      fixture.Merge(fixture.Rows({"k", "x", "k"}, {1, 1, 1}, {"a", "b", "c"}), std::move(logs)),
      testing::ElementsAre("b", "c", "new"));
}

TEST(LogMerger, NullOrderingCountsAsZero) {
  const MergeFixture fixture(MergeMode::kEventTime, arrow::int64());
  const Event null_data{Source::kData, std::nullopt};
  EXPECT_EQ(fixture.Merge({B(1), null_data}), "B");
  EXPECT_EQ(fixture.Merge({B(-1), null_data}), "1");
  EXPECT_EQ(fixture.Merge({{Source::kBase, std::nullopt}, L(-1)}), "B");
}

// The rules once more, for one key at a time and in their plainest form.
struct Reference {
  bool event_time;
  struct Version {
    bool is_delete, natural, from_block;
    Kind kind;
    int64_t ordering;
    std::string payload;
  };

  static bool NaturalDelete(const Version& v) { return v.is_delete && v.natural; }

  Version Delta(const Version& e, const Version& n) const {
    if (!event_time) return n;
    if (n.from_block) {
      if (NaturalDelete(e)) return e;
      const bool same_class = e.kind == n.kind;
      return !n.natural && same_class && e.ordering > n.ordering ? e : n;
    }
    if (NaturalDelete(n) || NaturalDelete(e)) return n;
    return n.ordering >= e.ordering ? n : e;
  }
  bool LogWins(const Version& base, const Version& log) const {
    return !event_time || NaturalDelete(log) || log.ordering >= base.ordering;
  }
};

TEST(LogMerger, RandomHistoriesEqualAScalarFold) {
  std::mt19937 random(20260101);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    const bool event_time = round % 3 != 0;
    const MergeFixture fixture(event_time ? MergeMode::kEventTime : MergeMode::kCommitTime,
                               arrow::int64());
    const Reference reference{event_time};
    std::map<std::string, Reference::Version> base, log;
    std::vector<std::string> keys, payloads;
    std::vector<std::optional<int64_t>> orderings;
    const int key_count = 1 + pick(60);
    for (int k = 0; k < key_count; ++k) {
      if (pick(3) == 0) continue;
      keys.push_back("key-" + std::to_string(k));
      orderings.emplace_back(pick(6));
      payloads.push_back("base-" + std::to_string(k));
      base[keys.back()] = {false, false, false, Kind::kLong, *orderings.back(), payloads.back()};
    }
    const auto base_rows = fixture.Rows(keys, orderings, payloads);
    std::vector<LogBatch> logs;
    for (int block = 0, blocks = pick(8); block < blocks; ++block) {
      const bool is_data = pick(3) != 0;
      std::vector<DeleteRecord> deletes;
      keys.clear(), orderings.clear(), payloads.clear();
      for (int i = 0, records = pick(40); i < records; ++i) {
        const std::string key = "key-" + std::to_string(pick(key_count));
        Reference::Version version{!is_data, false, !is_data, Kind::kLong, pick(6), ""};
        if (is_data) {
          version.payload = fmt::format("log-{}-{}", block, i);
          keys.push_back(key);
          orderings.emplace_back(version.ordering);
          payloads.push_back(version.payload);
        } else {
          if (pick(3) == 0) version.kind = Kind::kInt;
          if (pick(4) == 0) version.kind = Kind::kInt, version.ordering = 0;
          version.natural = version.kind == Kind::kInt && version.ordering == 0;
          deletes.push_back({key, "", {version.kind, version.ordering}});
        }
        const auto found = log.find(key);
        log[key] = found == log.end() ? version : reference.Delta(found->second, version);
      }
      logs.push_back(is_data ? fixture.Data(fixture.Rows(keys, orderings, payloads))
                             : fixture.Deletes(deletes));
    }
    std::vector<std::string> expected;
    for (const auto& [key, row] : base) {
      const auto found = log.find(key);
      if (found == log.end()) {
        expected.push_back(row.payload);
        continue;
      }
      const bool log_wins = reference.LogWins(row, found->second);
      if (!log_wins) expected.push_back(row.payload);
      if (log_wins && !found->second.is_delete) expected.push_back(found->second.payload);
      log.erase(found);
    }
    for (const auto& [key, version] : log) {
      if (!version.is_delete) expected.push_back(version.payload);
    }
    ASSERT_THAT(fixture.Merge(base_rows, std::move(logs)),
                testing::UnorderedElementsAreArray(expected))
        << "round " << round;
  }
}

}  // namespace
}  // namespace firth
