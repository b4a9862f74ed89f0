#include "app/features/requests.h"

#include "app/features/query/ready_queries.h"

namespace snapviewer {

PutQuery put_ready_query(const ReadyQuery& query) {
    if (query.edit == nullptr) return {query.sql, query.sql.size(), query.sql.size(), true};
    const std::size_t begin = query.sql.find(query.edit);
    return {query.sql, begin, begin + std::string(query.edit).size(), false};
}

}  // namespace snapviewer
