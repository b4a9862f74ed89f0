#pragma once

namespace snapviewer {

/// Tells functions and loops of a query that may take long whether the query must end.
class SqliteControl {
public:
    /// True if the query must end. Called thousands of times a second.
    virtual bool must_end() = 0;

protected:
    SqliteControl() = default;
    ~SqliteControl() = default;
};

}  // namespace snapviewer
