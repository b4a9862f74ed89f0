#pragma once

namespace snapviewer {

/// Who says when work of SQLite has to end: what is asked from within functions and loops that may take long.
class SqliteControl {
public:
    /// Asked thousands of times a second.
    virtual bool must_end() = 0;

protected:
    SqliteControl() = default;
    ~SqliteControl() = default;
};

}  // namespace snapviewer
