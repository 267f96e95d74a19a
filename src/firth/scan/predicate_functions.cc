// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_functions.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/data.h>
#include <arrow/compute/expression.h>
#include <arrow/compute/function.h>
#include <arrow/compute/kernel.h>
#include <arrow/compute/registry.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/checked_cast.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "firth/scan/date_pattern.h"

namespace firth::predicate {

// What a column must be.
enum class Takes : uint8_t { kText, kNumber, kInteger, kTime };
// What follows the column.
enum class Parameters : uint8_t { kNone, kPattern, kMaybePattern, kPositionMaybeLength };
enum class Gives : uint8_t { kText, kInt32, kSame };

struct Function {
  std::string_view name;
  std::string_view usage;
  Takes takes;
  Parameters parameters;
  Gives gives;
  const char* kernel;  // of Arrow, or registered below
};

namespace {

namespace cp = arrow::compute;
using arrow::ArraySpan;
using arrow::internal::checked_cast;
using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr Function kFunctions[] = {
    {"abs", "abs(number)", Takes::kNumber, Parameters::kNone, Gives::kSame, "abs"},
    {"date_format", "date_format(time, 'pattern')", Takes::kTime, Parameters::kPattern,
     Gives::kText, "firth_date_format"},
    {"day", "day(time)", Takes::kTime, Parameters::kNone, Gives::kInt32, "firth_day"},
    {"from_unixtime", "from_unixtime(seconds[, 'pattern'])", Takes::kInteger,
     Parameters::kMaybePattern, Gives::kText, "firth_from_unixtime"},
    {"hour", "hour(time)", Takes::kTime, Parameters::kNone, Gives::kInt32, "firth_hour"},
    {"length", "length(text)", Takes::kText, Parameters::kNone, Gives::kInt32, "firth_length"},
    {"lower", "lower(text)", Takes::kText, Parameters::kNone, Gives::kText, "firth_lower"},
    {"month", "month(time)", Takes::kTime, Parameters::kNone, Gives::kInt32, "firth_month"},
    {"substring", "substring(text, position[, length])", Takes::kText,
     Parameters::kPositionMaybeLength, Gives::kText, "firth_substring"},
    {"trim", "trim(text)", Takes::kText, Parameters::kNone, Gives::kText, "firth_trim"},
    {"upper", "upper(text)", Takes::kText, Parameters::kNone, Gives::kText, "firth_upper"},
    {"year", "year(time)", Takes::kTime, Parameters::kNone, Gives::kInt32, "firth_year"},
};

// Constants of a call; calls of nothing but constants have them as arrays of one row.
int64_t IntegerOf(const cp::ExecValue& value) {
  if (!value.is_scalar()) return value.array.GetValues<int32_t>(1)[0];
  return checked_cast<const arrow::Int32Scalar&>(*value.scalar).value;
}

std::string TextOf(const cp::ExecValue& value) {
  if (!value.is_scalar()) return arrow::StringArray(value.array.ToArrayData()).GetString(0);
  return std::string(checked_cast<const arrow::BaseBinaryScalar&>(*value.scalar).view());
}

// A text for every row that is not null: `append` adds the row's to a string.
template <typename Append>
Status BuildTexts(cp::KernelContext* context, const ArraySpan& span, Append append,
                  cp::ExecResult* out) {
  arrow::StringBuilder builder(context->memory_pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(span.length));
  std::string text;
  for (int64_t i = 0; i < span.length; ++i) {
    if (!span.IsValid(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    text.clear();
    append(i, &text);
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> array, builder.Finish());
  out->value = array->data();
  return Status::OK();
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

icu::StringPiece PieceOf(std::string_view text) {
  return {text.data(), static_cast<int32_t>(text.size())};
}

// With the mappings of one character to several, as Java has them and Arrow has not.
void AppendUpper(std::string_view text, std::string* out) {
  if (IsAscii(text)) {
    for (const char c : text) *out += c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c;
    return;
  }
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(out);
  icu::CaseMap::utf8ToUpper("", 0, PieceOf(text), sink, nullptr, status);
}

void AppendLower(std::string_view text, std::string* out) {
  if (IsAscii(text)) {
    for (const char c : text) *out += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return;
  }
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(out);
  icu::CaseMap::utf8ToLower("", 0, PieceOf(text), sink, nullptr, status);
}

void AppendTrimmed(std::string_view text, std::string* out) {
  const size_t first = std::min(text.find_first_not_of(' '), text.size());
  *out += text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// Where the character after the one at `at` begins: by the first byte alone, as Spark has it, which
// also counts texts that are no UTF-8.
size_t NextCharacter(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const size_t bytes = byte < 0xC2 || byte > 0xF4 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  return std::min(at + bytes, text.size());
}

int64_t CountCharacters(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); at = NextCharacter(text, at)) ++count;
  return count;
}

// Positions count from 1, negative ones from the end; what lies outside of the text is left out.
void AppendSubstring(std::string_view text, int64_t position, int64_t length, std::string* out) {
  const int64_t start = position > 0   ? position - 1
                        : position < 0 ? CountCharacters(text) + position
                                       : 0;
  size_t at = 0;
  int64_t character = 0;
  for (; character < start && at < text.size(); ++character) at = NextCharacter(text, at);
  const size_t first = at;
  for (; character < start + length && at < text.size(); ++character) at = NextCharacter(text, at);
  *out += text.substr(first, at - first);
}

template <void (*kAppend)(std::string_view, std::string*)>
Status TextKernel(cp::KernelContext* context, const cp::ExecSpan& batch, cp::ExecResult* out) {
  const arrow::StringArray texts(batch[0].array.ToArrayData());
  const auto append = [&](int64_t i, std::string* text) { kAppend(texts.GetView(i), text); };
  return BuildTexts(context, batch[0].array, append, out);
}

Status SubstringKernel(cp::KernelContext* context, const cp::ExecSpan& batch, cp::ExecResult* out) {
  const arrow::StringArray texts(batch[0].array.ToArrayData());
  const int64_t position = IntegerOf(batch[1]), length = IntegerOf(batch[2]);
  const auto append = [&](int64_t i, std::string* text) {
    AppendSubstring(texts.GetView(i), position, length, text);
  };
  return BuildTexts(context, batch[0].array, append, out);
}

// Integers of rows that are not null; the executor knows which are.
template <typename ValueAt>
Status FillInt32(const ArraySpan& span, ValueAt value_at, cp::ExecResult* out) {
  auto* values = out->array_span_mutable()->GetValues<int32_t>(1);
  for (int64_t i = 0; i < span.length; ++i) {
    values[i] = span.IsValid(i) ? static_cast<int32_t>(value_at(i)) : 0;
  }
  return Status::OK();
}

Status LengthKernel(cp::KernelContext* /*context*/, const cp::ExecSpan& batch,
                    cp::ExecResult* out) {
  const arrow::StringArray texts(batch[0].array.ToArrayData());
  return FillInt32(
      batch[0].array, [&](int64_t i) { return CountCharacters(texts.GetView(i)); }, out);
}

// Rows of dates, timestamps or numbers of seconds as seconds since the epoch.
class Moments {
 public:
  explicit Moments(const ArraySpan& span) : span_(span) {
    switch (span.type->id()) {
      case arrow::Type::DATE32:
        factor_ = 86'400;
        break;
      case arrow::Type::TIMESTAMP:
        divisor_ = UnitsPerSecond(checked_cast<const arrow::TimestampType&>(*span.type).unit());
        break;
      default:  // Spark counts microseconds, which wrap
        factor_ = divisor_ = 1'000'000;
    }
  }

  int64_t operator[](int64_t row) const {
    const int64_t value = span_.type->byte_width() == sizeof(int32_t)
                              ? span_.GetValues<int32_t>(1)[row]
                              : span_.GetValues<int64_t>(1)[row];
    const auto units = static_cast<int64_t>(static_cast<uint64_t>(value) * factor_);
    return units / divisor_ - (units % divisor_ < 0 ? 1 : 0);
  }

 private:
  static int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
    constexpr int64_t kUnits[] = {1, 1'000, 1'000'000, 1'000'000'000};  // in the enum's order
    return kUnits[unit];
  }

  const ArraySpan& span_;
  uint64_t factor_ = 1;
  int64_t divisor_ = 1;
};

template <auto kField>
Status FieldKernel(cp::KernelContext* /*context*/, const cp::ExecSpan& batch, cp::ExecResult* out) {
  const Moments moments(batch[0].array);
  return FillInt32(
      batch[0].array, [&](int64_t i) { return CivilTimeOf(moments[i]).*kField; }, out);
}

Status FormatKernel(cp::KernelContext* context, const cp::ExecSpan& batch, cp::ExecResult* out) {
  ARROW_ASSIGN_OR_RAISE(const DatePattern pattern, DatePattern::Parse(TextOf(batch[1])));
  const Moments moments(batch[0].array);
  const auto append = [&](int64_t i, std::string* text) { pattern.Append(moments[i], text); };
  return BuildTexts(context, batch[0].array, append, out);
}

std::vector<cp::InputType> ColumnTypes(Takes takes) {
  switch (takes) {
    case Takes::kText:
      return {arrow::utf8()};
    case Takes::kTime:
      return {arrow::date32(), arrow::Type::TIMESTAMP};
    case Takes::kInteger:
    case Takes::kNumber:
      return {arrow::int32(), arrow::int64()};
  }
  return {};
}

std::vector<cp::InputType> ParameterTypes(Parameters parameters) {
  switch (parameters) {
    case Parameters::kNone:
      return {};
    case Parameters::kPattern:
    case Parameters::kMaybePattern:
      return {arrow::utf8()};
    case Parameters::kPositionMaybeLength:
      return {arrow::int32(), arrow::int32()};
  }
  return {};
}

// Adds a kernel of our own under the name that the table has for it.
Status Register(std::string_view name, cp::ArrayKernelExec exec) {
  const Function& function = *FindFunction(name);
  const std::vector<cp::InputType> parameters = ParameterTypes(function.parameters);
  auto registered = std::make_shared<cp::ScalarFunction>(
      function.kernel, cp::Arity(1 + static_cast<int>(parameters.size())),
      cp::FunctionDoc::Empty());
  const bool gives_text = function.gives == Gives::kText;
  for (const cp::InputType& column : ColumnTypes(function.takes)) {
    std::vector<cp::InputType> inputs = {column};
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    cp::ScalarKernel kernel(std::move(inputs), gives_text ? arrow::utf8() : arrow::int32(), exec);
    if (gives_text) {
      kernel.null_handling = cp::NullHandling::COMPUTED_NO_PREALLOCATE;
      kernel.mem_allocation = cp::MemAllocation::NO_PREALLOCATE;
    }
    ARROW_RETURN_NOT_OK(registered->AddKernel(std::move(kernel)));
  }
  return cp::GetFunctionRegistry()->AddFunction(std::move(registered), /*allow_overwrite=*/true);
}

Status RegisterAll() {
  ARROW_RETURN_NOT_OK(Register("date_format", FormatKernel));
  ARROW_RETURN_NOT_OK(Register("day", FieldKernel<&CivilTime::day>));
  ARROW_RETURN_NOT_OK(Register("from_unixtime", FormatKernel));
  ARROW_RETURN_NOT_OK(Register("hour", FieldKernel<&CivilTime::hour>));
  ARROW_RETURN_NOT_OK(Register("length", LengthKernel));
  ARROW_RETURN_NOT_OK(Register("lower", TextKernel<AppendLower>));
  ARROW_RETURN_NOT_OK(Register("month", FieldKernel<&CivilTime::month>));
  ARROW_RETURN_NOT_OK(Register("substring", SubstringKernel));
  ARROW_RETURN_NOT_OK(Register("trim", TextKernel<AppendTrimmed>));
  ARROW_RETURN_NOT_OK(Register("upper", TextKernel<AppendUpper>));
  return Register("year", FieldKernel<&CivilTime::year>);
}

// Names of constants as options of Hudi's indexes.
std::vector<std::string_view> OptionNames(Parameters parameters) {
  switch (parameters) {
    case Parameters::kNone:
      return {};
    case Parameters::kPattern:
    case Parameters::kMaybePattern:
      return {"format"};
    case Parameters::kPositionMaybeLength:
      return {"pos", "len"};
  }
  return {};
}

std::string_view Describe(Takes takes) {
  constexpr std::string_view kDescriptions[] = {"a string", "a number", "an int or bigint",
                                                "a date or timestamp"};
  return kDescriptions[static_cast<size_t>(takes)];
}

bool Fits(Takes takes, arrow::Type::type type) {
  switch (takes) {
    case Takes::kText:
      return type == arrow::Type::STRING;
    case Takes::kNumber:
      return arrow::is_signed_integer(type) || arrow::is_decimal(type) ||
             type == arrow::Type::FLOAT || type == arrow::Type::DOUBLE;
    case Takes::kInteger:
      return type == arrow::Type::INT32 || type == arrow::Type::INT64;
    case Takes::kTime:
      return type == arrow::Type::DATE32 || type == arrow::Type::TIMESTAMP;
  }
  return false;
}

}  // namespace

const Function* FindFunction(std::string_view name) {
  const auto is_named = [&](const Function& function) {
    return std::ranges::equal(name, function.name, [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
    });
  };
  const auto* found = std::ranges::find_if(kFunctions, is_named);
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string FunctionNames() {
  std::string names;
  for (const Function& function : kFunctions) {
    names += names.empty() ? "" : ", ";
    names += function.name;
  }
  return names;
}

std::string_view UsageOf(const Function& function) { return function.usage; }

size_t MinParameters(const Function& function) {
  const Parameters parameters = function.parameters;
  return parameters == Parameters::kNone || parameters == Parameters::kMaybePattern ? 0 : 1;
}

size_t MaxParameters(const Function& function) {
  return ParameterTypes(function.parameters).size();
}

Status CheckColumn(const Function& function, const arrow::DataType& type) {
  if (Fits(function.takes, type.id())) return Status::OK();
  return InvalidError("{} takes {}, found type {}", function.usage, Describe(function.takes),
                      type.ToString());
}

Result<std::shared_ptr<arrow::Scalar>> ParameterOf(const Function& function, size_t index,
                                                   const Literal& literal) {
  if (function.parameters != Parameters::kPositionMaybeLength) {
    if (literal.kind != LiteralKind::kString) {
      return InvalidError("{} takes a pattern in single quotes", function.usage);
    }
    ARROW_RETURN_NOT_OK(DatePattern::Parse(literal.text).status());
    return arrow::MakeScalar(literal.text);
  }
  const Result<Placed> placed = PlaceLiteral(literal, arrow::int32());
  if (!placed.ok() || placed->where != Placed::Where::kExact) {
    return InvalidError("{} takes a whole number as its {}", function.usage,
                        index == 0 ? "position" : "length");
  }
  return placed->value;
}

Result<Value> Call(const Function& function, const Value& column, arrow::ScalarVector parameters) {
  static const Status registered = RegisterAll();
  ARROW_RETURN_NOT_OK(registered);
  if (function.parameters == Parameters::kMaybePattern && parameters.empty()) {
    parameters.push_back(arrow::MakeScalar(std::string(kDefaultPattern)));
  }
  if (function.parameters == Parameters::kPositionMaybeLength && parameters.size() == 1) {
    parameters.push_back(arrow::MakeScalar(std::numeric_limits<int32_t>::max()));
  }
  std::vector<cp::Expression> arguments = {column.expression};
  for (std::shared_ptr<arrow::Scalar>& parameter : parameters) {
    arguments.push_back(cp::literal(std::move(parameter)));
  }
  return Value{cp::call(function.kernel, std::move(arguments)),
               function.gives == Gives::kText    ? arrow::utf8()
               : function.gives == Gives::kInt32 ? arrow::int32()
                                                 : column.type};
}

std::optional<ColumnCall> AsColumnCall(const cp::Expression& expression) {
  const cp::Expression::Call* call = expression.call();
  if (call == nullptr) return std::nullopt;
  const auto* function = std::ranges::find(kFunctions, call->function_name, &Function::kernel);
  if (function == std::end(kFunctions)) return std::nullopt;
  const arrow::FieldRef* column = call->arguments[0].field_ref();
  if (column == nullptr || column->name() == nullptr) return std::nullopt;
  ColumnCall found{.function = function->name, .column = *column->name(), .parameters = {}};
  const std::vector<std::string_view> names = OptionNames(function->parameters);
  for (size_t i = 0; i < names.size(); ++i) {
    const arrow::Datum* constant = call->arguments[i + 1].literal();
    if (constant == nullptr || !constant->is_scalar()) return std::nullopt;
    found.parameters.emplace_back(names[i], constant->scalar()->ToString());
  }
  return found;
}

}  // namespace firth::predicate
