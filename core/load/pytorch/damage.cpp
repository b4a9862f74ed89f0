#include "core/load/pytorch/damage.h"

#include "core/load/bytes/byte_source.h"

namespace snapviewer {

Error Damage::located(Failure& failure) const {
    if (failure.error.code != ErrorCode::bad_file) throw std::move(failure);
    check_stop();
    if (!failure.error.offset && position_) failure.error.offset = position_();
    return std::move(failure.error);
}

void Damage::add_stray(Value list) {
    Strays& strays = strays_[list.index()];
    if (strays.count++ > 0) return;
    strays.rows_before = table_.list(list).count;
    if (position_) strays.offset = position_();
}

const Damage::Strays* Damage::strays(Value list) const {
    const auto found = strays_.find(list.index());
    return found == strays_.end() ? nullptr : &found->second;
}

void Damage::check_rows(Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const {
    const auto damaged = rows_.lower_bound({kind, first});
    if (damaged == rows_.end() || damaged->first >= std::pair(kind, first + count)) return;
    Error error = damaged->second;
    error.context = context;
    throw Failure{std::move(error)};
}

void Damage::check_list(Value list, Kind kind, const char* otherwise, const std::string& context) const {
    if (!table_.is_run(list, kind)) fail(otherwise, {}, context);
    if (const Strays* found = strays(list)) fail(otherwise, found->offset, context);
}

Damage::WholeRows Damage::whole_rows(Value value, Kind kind, const char* otherwise, const std::string& context) {
    const ObjectTable::List& list = table_.list(value);
    if (list.kind == ObjectTable::List::Kind::empty) return {};
    const bool is_run = table_.is_run(value, kind);
    const Strays* found = strays(value);
    const std::uint32_t count = !is_run ? 0 : found != nullptr ? found->rows_before : list.count;
    const auto damaged = rows_.lower_bound({kind, list.first});
    if (is_run && damaged != rows_.end() && damaged->first < std::pair(kind, list.first + count)) {
        add(damaged->second, context);
        return {damaged->first.second - list.first, false};
    }
    if (is_run && found == nullptr) return {count, true};
    add({ErrorCode::bad_file, otherwise, found != nullptr ? found->offset : std::nullopt, {}}, context);
    return {count, false};
}

void Damage::add(Error error, const std::string& context) {
    if (count_++ > 0) return;
    error.context = context;
    if (error.message.starts_with('\'')) error.message = "holds a wrong value: " + error.message;
    first_ = Failure{std::move(error), true, true};
}

}  // namespace snapviewer
