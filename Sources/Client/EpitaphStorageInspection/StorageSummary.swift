// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A text for a report: what is stored and how much, without contents unless asked for.
    public struct StorageSummary: Sendable {
        /// Rows of each table to include, 0 to 100.
        public var rowCount = 0 { didSet { rowCount = min(max(rowCount, 0), 100) } }
        /// Whether to include values of settings.
        public var includesValues = false
        /// Limit on the text, in bytes, 1,024 to 16 MiB.
        public var limitBytes = 256 << 10 {
            didSet { limitBytes = min(max(limitBytes, 1_024), 16 << 20) }
        }

        public init() {}

        /// Tables, columns, statements and counts of the databases found.
        public func text(of inspector: StorageInspector) -> String {
            var text = LimitedText(limitBytes)
            let discovery = inspector.databases()
            for problem in discovery.problems { text.add("problem: \(problem)") }
            for database in discovery.databases {
                text.add("\(database.path): \(database.sizeBytes) bytes")
                if database.isOpenHere, !inspector.options.sharesLibrary {
                    text.add("  not looked at: this process has it open")
                    continue
                }
                describe(database.path, by: inspector, in: &text)
            }
            if discovery.isCut {
                text.add("there may be more: the limits of the search are reached")
            }
            return text.whole
        }

        /// Keys, kinds and sizes of a store's settings.
        public func text(of store: any KeyValueStore) -> String {
            var text = LimitedText(limitBytes)
            do throws(StorageError) {
                let keys = try store.keys().sorted()
                text.add("\(store.name): \(keys.count) keys")
                for key in keys { describe(key, of: store, in: &text) }
            } catch {
                text.add("\(store.name): \(error)")
            }
            return text.whole
        }

        private func describe(
            _ path: String, by inspector: StorageInspector, in text: inout LimitedText
        ) {
            do throws(StorageError) {
                for table in try inspector.tables(of: path) {
                    guard !text.isFull else { return }
                    text.add(
                        "  \(table.kind.rawValue) \(table.name): \(count(table, path, inspector))")
                    text.add("    \(table.statement)")
                    guard rowCount > 0 else { continue }
                    let rows = try inspector.rows(of: table.name, in: path, count: rowCount)
                    for row in rows.rows {
                        text.add("    \(row.map(\.words).joined(separator: " | "))")
                    }
                }
            } catch {
                text.add("  \(error)")
            }
        }

        private func count(
            _ table: SQLiteTable, _ path: String, _ inspector: StorageInspector
        ) -> String {
            do throws(StorageError) {
                return "\(try inspector.rowCount(of: table.name, in: path)) rows"
            } catch {
                return "rows not counted: \(error)"
            }
        }

        private func describe(
            _ key: String, of store: any KeyValueStore, in text: inout LimitedText
        ) {
            guard !text.isFull else { return }
            do throws(StorageError) {
                guard let value = try store.value(of: key) else { return }
                let size = "  \(key): \(value.kindName), \(value.byteCount) bytes"
                text.add(includesValues ? "\(size): \(value.words)" : size)
            } catch {
                text.add("  \(key): \(error)")
            }
        }
    }
}

private struct LimitedText {
    private static let cutMark = "(cut here)\n"

    private let limitBytes: Int
    private var lines = ""
    private(set) var isFull = false

    init(_ limitBytes: Int) {
        self.limitBytes = limitBytes - Self.cutMark.utf8.count
    }

    mutating func add(_ line: String) {
        guard !isFull, lines.utf8.count + line.utf8.count < limitBytes else {
            isFull = true
            return
        }
        lines += line
        lines += "\n"
    }

    var whole: String { isFull ? lines + Self.cutMark : lines }
}

extension SQLiteValue {
    fileprivate var words: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text, _): text
        case .blob(_, let count): "blob of \(count) bytes"
        }
    }
}

extension StoredValue {
    fileprivate var words: String {
        switch self {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        case .data(let bytes): "\(bytes.count) bytes"
        case .list(let values): "[" + values.map(\.words).joined(separator: ", ") + "]"
        }
    }
}
