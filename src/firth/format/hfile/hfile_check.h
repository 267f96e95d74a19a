// SPDX-License-Identifier: Apache-2.0
// Compares every kind of lookup with brute force over known entries. For tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firth/format/hfile/hfile_test_util.h"

namespace firth {

inline HFileEntries Matching(const HFileEntries& entries, std::string_view begin,
                             const std::function<bool(std::string_view)>& ends_before) {
  auto at =
      std::lower_bound(entries.begin(), entries.end(), begin,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  HFileEntries found;
  for (; at != entries.end() && !ends_before(at->first); ++at) found.push_back(*at);
  return found;
}

/// All keys, their neighbours, and what lies before and behind all of them, in one batch.
inline void CheckPoints(const HFileReader& reader, const HFileEntries& entries) {
  std::vector<std::string> keys = {"", std::string(3, '\xFF')};
  for (const auto& [key, value] : entries) {
    keys.push_back(key);
    for (std::string& neighbour : Neighbours(key)) keys.push_back(std::move(neighbour));
  }
  const std::vector<std::string_view> views(keys.rbegin(), keys.rend());  // not sorted
  const auto hits =
      CollectHits([&](const HFileVisitor& visit) { return reader.Lookup(views, visit); });
  ASSERT_TRUE(hits.ok()) << hits.status();
  for (size_t i = 0; i < views.size(); ++i) {
    const HFileEntries expected =
        Matching(entries, views[i], [&](std::string_view key) { return key > views[i]; });
    const auto found = hits->find(i);
    const HFileEntries actual = found == hits->end() ? HFileEntries{} : found->second;
    ASSERT_EQ(actual, expected) << reader.path() << ": key " << i << " " << views[i];
  }
}

/// Prefixes and ranges made from every `step`-th key.
inline void CheckRanges(const HFileReader& reader, const HFileEntries& entries, size_t step) {
  std::vector<std::string> texts = {"", "\xFF"};
  for (size_t i = 0; i < entries.size(); i += step) {
    const std::string& key = entries[i].first;
    texts.push_back(key);
    texts.push_back(key.substr(0, key.size() - std::min<size_t>(key.size(), 2)));
    texts.push_back(key + "~");
  }
  const std::vector<std::string_view> prefixes(texts.begin(), texts.end());
  const auto hits = CollectHits(
      [&](const HFileVisitor& visit) { return reader.LookupPrefixes(prefixes, visit); });
  ASSERT_TRUE(hits.ok()) << hits.status();
  for (size_t i = 0; i < prefixes.size(); ++i) {
    const HFileEntries expected = Matching(
        entries, prefixes[i], [&](std::string_view key) { return !key.starts_with(prefixes[i]); });
    const auto found = hits->find(i);
    ASSERT_EQ(found == hits->end() ? HFileEntries{} : found->second, expected)
        << reader.path() << ": prefix " << prefixes[i];
  }
  for (size_t i = 0; i + 1 < texts.size(); ++i) {
    const std::string_view a = texts[i], b = texts[(i * 7 + 3) % texts.size()];
    const HFileEntries expected =
        Matching(entries, a, [&](std::string_view key) { return key >= b; });
    const HFileRange range = HFileRange::Between(a, b);
    const auto scanned = ScanHFile(reader, range);
    ASSERT_TRUE(scanned.ok()) << scanned.status();
    ASSERT_EQ(*scanned, expected) << reader.path() << ": scan " << a << " to " << b;
    if (i > 20) continue;  // the batch below is the same code as for prefixes
    const auto found = CollectHits([&](const HFileVisitor& visit) {
      return reader.LookupRanges({&range, 1}, visit);
    });
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->empty() ? HFileEntries{} : found->begin()->second, expected);
  }
}

inline void CheckEverything(const HFileReader& reader, const HFileEntries& entries, size_t step) {
  const auto scanned = ScanHFile(reader);
  ASSERT_TRUE(scanned.ok()) << scanned.status();
  ASSERT_EQ(*scanned, entries) << reader.path();
  CheckPoints(reader, entries);
  CheckRanges(reader, entries, step);
}

}  // namespace firth
