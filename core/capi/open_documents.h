#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/capi/snapviewer.h"
#include "core/document/document.h"

namespace snapviewer {

/// A document and the databases that answer for it: one for every query at work, since a database answers one at a time.
/// Any thread.
class OpenDocument {
public:
    explicit OpenDocument(std::shared_ptr<const Document> document);

    const Document& document() const { return *document_; }
    /// A database that nobody else uses as long as somebody has it; it must go before the document. Fails where too many are
    /// in use.
    Result<std::shared_ptr<Database>> borrow();

private:
    Result<std::shared_ptr<Database>> idle_or_another();
    void give_back(std::shared_ptr<Database> database);

    std::shared_ptr<const Document> document_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<Database>> idle_;
    std::size_t borrowed_ = 0;
};

/// What sv_document stands for. No number is given twice. Any thread.
class OpenDocuments {
public:
    /// Those of this process. They outlive everything, so that a stream may still be read while the process ends.
    static OpenDocuments& all();

    sv_document add(std::shared_ptr<OpenDocument> document);
    std::shared_ptr<OpenDocument> find(sv_document number);  ///< null if it is closed, or was never open
    bool remove(sv_document number);

private:
    std::mutex mutex_;
    std::map<sv_document, std::shared_ptr<OpenDocument>> documents_;
    sv_document last_ = 0;
};

}  // namespace snapviewer
