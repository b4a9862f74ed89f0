#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/capi/snapviewer.h"
#include "core/document/document.h"

namespace snapviewer {

/// An open document and its database connections. Each running query needs a connection of its own, because a connection
/// answers one query at a time. Thread-safe.
class OpenDocument {
public:
    explicit OpenDocument(std::shared_ptr<const Document> document);

    const Document& document() const { return *document_; }
    /// Borrows a connection for exclusive use until the last copy of the pointer is destroyed, which must happen before this
    /// object is destroyed. Fails if 64 connections are in use.
    Result<std::shared_ptr<Database>> borrow();

private:
    Result<std::shared_ptr<Database>> idle_or_another();
    void give_back(std::shared_ptr<Database> database);

    std::shared_ptr<const Document> document_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<Database>> idle_;
    std::size_t borrowed_ = 0;
};

/// The table that maps sv_document handles to documents. Handles are never reused. Thread-safe.
class OpenDocuments {
public:
    /// The table of this process. It is never destroyed, so that a stream can still be read while the process exits.
    static OpenDocuments& all();

    sv_document add(std::shared_ptr<OpenDocument> document);
    std::shared_ptr<OpenDocument> find(sv_document number);  ///< nullptr if the document is closed or was never open
    bool remove(sv_document number);

private:
    std::mutex mutex_;
    std::map<sv_document, std::shared_ptr<OpenDocument>> documents_;
    sv_document last_ = 0;
};

}  // namespace snapviewer
