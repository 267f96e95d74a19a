// SPDX-License-Identifier: Apache-2.0
#include "firth/search/vector_topk.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace firth {
namespace {

/// Rows of one tile stay in the second-level cache while all queries pass over them.
constexpr int64_t kTileBytes = 128 << 10;
constexpr int64_t kMaxTileRows = 512;

std::string_view KeyAt(const VectorBatch& batch, int64_t row) {
  if (batch.keys == nullptr || batch.keys->IsNull(row)) return {};
  return arrow::internal::checked_cast<const arrow::StringArray&>(*batch.keys).GetView(row);
}

int64_t NumberOf(const VectorBatch& batch, int64_t row) {
  if (batch.numbers == nullptr) return row;
  return arrow::internal::checked_cast<const arrow::Int64Array&>(*batch.numbers).Value(row);
}

template <typename T>
bool AllFinite(const T* values, size_t dim) {
  return std::all_of(values, values + dim, [](T v) { return std::isfinite(v); });
}

bool AllFinite(VectorColumn::Element element, const void* row, size_t dim) {
  switch (element) {
    case VectorColumn::Element::kFloat:
      return AllFinite(static_cast<const float*>(row), dim);
    case VectorColumn::Element::kDouble:
      return AllFinite(static_cast<const double*>(row), dim);
    case VectorColumn::Element::kInt8:
      break;
  }
  return true;
}

}  // namespace

struct VectorTopK::Tile {
  const VectorColumn& column;
  const VectorBatch& batch;
  int64_t begin;
  int64_t end;

  size_t size() const { return static_cast<size_t>(end - begin); }
};

VectorTopK::VectorTopK(std::shared_ptr<const VectorQuerySet> queries, std::string column,
                       int64_t max_hits, const DistanceKernels& kernels)
    : queries_(std::move(queries)),
      column_(std::move(column)),
      max_hits_(max_hits),
      kernels_(kernels) {
  const auto row_bytes = static_cast<int64_t>(queries_->dim() * sizeof(float));
  tile_rows_ = std::clamp<int64_t>(kTileBytes / row_bytes, 1, kMaxTileRows);
  scores_.resize(kQueryBlock * tile_rows_);
  norms_.resize(tile_rows_);
  found_.resize(queries_->count());
  const double farthest =
      queries_->options().radius.value_or(std::numeric_limits<double>::infinity());
  for (size_t q = 0; q < found_.size(); ++q) found_[q].bound = queries_->BoundFor(q, farthest);
}

Status VectorTopK::Add(const VectorBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(const VectorColumn column, VectorColumn::Make(*batch.vectors, column_));
  if (batch.keys != nullptr && batch.keys->type_id() != arrow::Type::STRING) {
    return InternalError("record keys are {}, not utf8", batch.keys->type()->ToString());
  }
  const int64_t length = column.length();
  if (batch.selection == nullptr && column.AllComplete(static_cast<int64_t>(queries_->dim()))) {
    report_.rows += length;
    for (int64_t begin = 0; begin < length; begin += tile_rows_) {
      ARROW_RETURN_NOT_OK(ScanTile({column, batch, begin, std::min(begin + tile_rows_, length)}));
    }
    return Status::OK();
  }
  int64_t begin = 0;  // of the tile that grows; it is empty when begin == row
  for (int64_t row = 0; row < length; ++row) {
    const bool comparable = Comparable(column, batch, row);
    if (comparable && begin < row && row - begin < tile_rows_) continue;
    if (begin < row) ARROW_RETURN_NOT_OK(ScanTile({column, batch, begin, row}));
    begin = comparable ? row : row + 1;
  }
  return begin < length ? ScanTile({column, batch, begin, length}) : Status::OK();
}

/// Whether the row takes part; counts it, and the reason why not.
bool VectorTopK::Comparable(const VectorColumn& column, const VectorBatch& batch, int64_t row) {
  if (batch.selection != nullptr &&
      !(batch.selection->IsValid(row) && batch.selection->Value(row))) {
    return false;
  }
  ++report_.rows;
  if (column.IsNull(row)) {
    ++report_.null_vectors;
    return false;
  }
  if (column.Size(row) != static_cast<int64_t>(queries_->dim())) {
    ++report_.wrong_length;
    other_length_ = column.Size(row);
    return false;
  }
  if (column.HasNullElement(row)) {
    ++report_.not_finite;
    return false;
  }
  return true;
}

Status VectorTopK::ScanTile(const Tile& tile) {
  const float* rows = FloatRows(tile);
  for (size_t q = 0; q < queries_->count(); q += kQueryBlock) {
    Score(tile, rows, q);
    const size_t last = std::min(queries_->count(), q + kQueryBlock);
    for (size_t i = q; i < last; ++i) {
      ARROW_RETURN_NOT_OK(Sift(tile, i, scores_.data() + (i - q) * tile.size()));
    }
  }
  return Status::OK();
}

const float* VectorTopK::FloatRows(const Tile& tile) {
  const void* data = tile.column.Data(tile.begin);
  if (tile.column.element() == VectorColumn::Element::kFloat) {
    return static_cast<const float*>(data);
  }
  const size_t count = tile.size() * queries_->dim();
  converted_.resize(std::max(converted_.size(), count));
  if (tile.column.element() == VectorColumn::Element::kDouble) {
    kernels_.floats_from_double(static_cast<const double*>(data), count, converted_.data());
  } else {
    kernels_.floats_from_int8(static_cast<const int8_t*>(data), count, converted_.data());
  }
  return converted_.data();
}

/// Fills scores_ for up to kQueryBlock queries, and norms_ (not under l2) once a tile.
void VectorTopK::Score(const Tile& tile, const float* rows, size_t first_query) {
  const float* queries = queries_->Floats(first_query);
  const size_t n = tile.size(), dim = queries_->dim();
  const bool one = queries_->count() == 1;
  if (queries_->options().metric == VectorMetric::kL2) {
    (one ? kernels_.l2_squared : kernels_.l2_squared_block)(queries, rows, n, dim, scores_.data());
    return;
  }
  if (one) {
    kernels_.dot_and_norm(queries, rows, n, dim, scores_.data(), norms_.data());
  } else {
    if (first_query == 0) kernels_.norm_squared(rows, n, dim, norms_.data());
    kernels_.dot_block(queries, rows, n, dim, scores_.data());
  }
  if (first_query != 0) return;
  for (size_t r = 0; r < n; ++r) {
    const float norm = std::sqrt(norms_[r]);
    // NaN makes every comparison with a bound false: such rows get their exact distance.
    const bool usable =
        (norm >= VectorQuerySet::kMinNorm) & (norm <= std::numeric_limits<float>::max());
    norms_[r] = usable ? norm : std::numeric_limits<float>::quiet_NaN();
  }
}

/// Offers the rows that their scores do not rule out. A finite score proves a finite row.
Status VectorTopK::Sift(const Tile& tile, size_t query, const float* scores) {
  const VectorQuerySet::ScoreBound& bound = found_[query].bound;  // tightens with each hit
  if (queries_->options().metric == VectorMetric::kL2) {
    return OfferUnless(tile, query, [&](size_t r) {
      return (scores[r] > bound.limit) & (scores[r] <= std::numeric_limits<float>::max());
    });
  }
  return OfferUnless(tile, query,
                     [&](size_t r) { return scores[r] + bound.slope * norms_[r] < bound.limit; });
}

/// Most tiles have no row to offer: a pass without branches, in vector instructions, finds that.
template <typename RuledOut>
Status VectorTopK::OfferUnless(const Tile& tile, size_t query, const RuledOut& ruled_out) {
  const size_t n = tile.size();
  uint32_t num_ruled_out = 0;
  for (size_t r = 0; r < n; ++r) num_ruled_out += ruled_out(r);
  if (num_ruled_out == n) return Status::OK();
  for (size_t r = 0; r < n; ++r) {
    if (ruled_out(r)) continue;
    ARROW_RETURN_NOT_OK(Offer(tile, query, tile.begin + static_cast<int64_t>(r)));
  }
  return Status::OK();
}

Status VectorTopK::Offer(const Tile& tile, size_t query, int64_t row) {
  const void* data = tile.column.Data(row);
  const double distance = queries_->Distance(query, tile.column.element(), data);
  if (!std::isfinite(distance)) {
    if (AllFinite(tile.column.element(), data, queries_->dim()))
      return OutOfRange(tile, query, row);
    if (query == 0) ++report_.not_finite;  // once a row, not once a query
    return Status::OK();
  }
  if (Rejects(query, distance)) return Status::OK();
  const VectorBatch& batch = tile.batch;
  return Insert(query,
                {distance, std::string(KeyAt(batch, row)), batch.slice, NumberOf(batch, row)});
}

/// Whether the distance alone keeps a row out. Rows as far as the farthest hit may still get in.
bool VectorTopK::Rejects(size_t query, double distance) const {
  const VectorQuerySet::Options& options = queries_->options();
  if (options.radius) return distance > *options.radius;
  const std::vector<VectorHit>& hits = found_[query].hits;
  return static_cast<int64_t>(hits.size()) >= options.k &&
         (hits.empty() || distance > hits.front().distance);
}

Status VectorTopK::Insert(size_t query, VectorHit hit) {
  std::vector<VectorHit>& hits = found_[query].hits;
  const VectorQuerySet::Options& options = queries_->options();
  if (options.radius || static_cast<int64_t>(hits.size()) < options.k) {
    if (++num_hits_ > max_hits_) return TooManyHits();
    hits.push_back(std::move(hit));
    if (options.radius) return Status::OK();
  } else {
    if (hits.empty() || hit >= hits.front()) return Status::OK();
    std::ranges::pop_heap(hits);
    hits.back() = std::move(hit);
  }
  std::ranges::push_heap(hits);
  if (static_cast<int64_t>(hits.size()) == options.k) {
    found_[query].bound = queries_->BoundFor(query, hits.front().distance);
  }
  return Status::OK();
}

/// Every such row comes here, whatever the order of rows: no score rules it out.
Status VectorTopK::OutOfRange(const Tile& tile, size_t query, int64_t row) const {
  return InvalidError(
      "no double can hold the distance of query {} from the vector of record '{}' in column '{}': "
      "their elements are too large or too small{}",
      query, KeyAt(tile.batch, row), column_,
      queries_->options().metric == VectorMetric::kDot
          ? "; a query of another length ranks the same by dot product"
          : "");
}

Status VectorTopK::TooManyHits() const {
  return Error(
      ErrorCode::kResourceExhausted,
      "the search of column '{}' has more than {} results, all that fit the memory budget; "
      "ask for a smaller k or radius, or give a larger memory_budget",
      column_, max_hits_);
}

Status VectorTopK::Merge(VectorTopK other) {
  report_.rows += other.report_.rows;
  report_.null_vectors += other.report_.null_vectors;
  report_.wrong_length += other.report_.wrong_length;
  report_.not_finite += other.report_.not_finite;
  if (other.other_length_ >= 0) other_length_ = other.other_length_;
  for (size_t q = 0; q < found_.size(); ++q) {
    for (VectorHit& hit : other.found_[q].hits) ARROW_RETURN_NOT_OK(Insert(q, std::move(hit)));
  }
  return Status::OK();
}

std::vector<std::vector<VectorHit>> VectorTopK::Take() {
  std::vector<std::vector<VectorHit>> results;
  results.reserve(found_.size());
  for (Found& found : found_) {
    std::ranges::sort(found.hits);
    results.push_back(std::move(found.hits));
    found.hits.clear();
  }
  num_hits_ = 0;
  return results;
}

}  // namespace firth
