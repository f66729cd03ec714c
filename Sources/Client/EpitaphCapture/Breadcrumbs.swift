// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Glibc
import Synchronization

extension Epitaph.Level {
    /// C has fewer levels.
    fileprivate var number: epitaph_level {
        switch self {
        case .trace, .debug: EPITAPH_LEVEL_DEBUG
        case .info, .notice: EPITAPH_LEVEL_INFO
        case .warning: EPITAPH_LEVEL_WARNING
        case .error: EPITAPH_LEVEL_ERROR
        case .critical: EPITAPH_LEVEL_FATAL
        }
    }
}

extension Epitaph {
    /// Records a signal that the program handles itself; Epitaph does not see such signals. In a
    /// sigaction(2) handler call C's `epitaph_signal_note` instead, because Swift code may
    /// allocate. `sender` is the sending process, if known.
    public static func noteSignal(_ signal: Signal, sender: Int32? = nil) {
        epitaph_signal_note(signal.rawValue, sender ?? 0)
    }

    /// Whether death by this signal would be marked and recorded as a breadcrumb: it had the
    /// default action at the start and still has no other handler.
    public static func marksEnd(by signal: Signal) -> Bool {
        epitaph_signal_end_is_marked(signal.rawValue) != 0
    }

    /// Records that something happened now. Reports have the latest breadcrumbs
    /// (`CrashReporterOptions.breadcrumbLimit`) with their times, to show what led up to a crash.
    ///
    ///     Epitaph.note("slow answer from ledger-2", .warning, category: "http")
    ///     Epitaph.note(
    ///         "query", .debug, category: "sql", attributes: ["rows": 17], type: "query")
    ///
    /// Thread-safe, without locks or system calls, and without allocation if there are no
    /// attributes. New breadcrumbs replace the oldest. In a `scope` it is also one of the scope's
    /// latest eight. Do not include secrets: reports are kept on disk and may be sent.
    ///
    /// - Parameters:
    ///   - message: at most 256 bytes of UTF-8; longer ones are cut between characters and marked.
    ///   - level: severity.
    ///   - category: at most 32 bytes; may be empty.
    ///   - attributes: names, values and type share 248 bytes, including 4 for each attribute and 8
    ///     for a number. Strings are cut to fit and what does not fit is dropped; both mark the
    ///     breadcrumb as cut.
    ///   - type: kind of breadcrumb, at most 32 bytes; may be empty.
    public static func note(
        _ message: String, _ level: Epitaph.Level = .info, category: String = "",
        attributes: [String: any Epitaph.ValueConvertible] = [:], type: String = ""
    ) {
        guard level.rank >= lowestRank.load(ordering: .relaxed) else { return }
        var (message, category, type) = (message, category, type)
        category.withUTF8 { category in
            message.withUTF8 { message in
                type.withUTF8 { type in
                    var content = epitaph_breadcrumb_content()
                    content.level = level.number
                    content.category = UnsafeRawPointer(category.baseAddress)?.chars
                    content.category_bytes = category.count
                    content.message = UnsafeRawPointer(message.baseAddress)?.chars
                    content.message_bytes = message.count
                    content.kind = UnsafeRawPointer(type.baseAddress)?.chars
                    content.kind_bytes = type.count
                    AttributeList.withPointer(attributes) {
                        content.attributes = $0
                        content.attribute_count = $1
                        epitaph_scope_breadcrumb_add(ScopeReference.current.token, &content)
                    }
                }
            }
        }
    }

    /// The lowest level that `note` keeps, for the whole process: all unless set. Thread-safe.
    public static var breadcrumbLevel: Epitaph.Level {
        get { Level.allCases[lowestRank.load(ordering: .relaxed)] }
        set { lowestRank.store(newValue.rank, ordering: .relaxed) }
    }

    private static let lowestRank = Atomic(0)

    /// Empties the ring of breadcrumbs, the task's scope's and the breadcrumb file. Numbers go on.
    /// Those that other threads add meanwhile may stay.
    public static func clearBreadcrumbs() {
        epitaph_scope_breadcrumbs_clear(ScopeReference.current.token)
    }

    /// Why breadcrumbs are not written to the breadcrumb file, as a sentence; nil while they are.
    public static var breadcrumbFileProblem: String? {
        switch epitaph_breadcrumb_file_check() {
        case 0: nil
        case ENOENT: "no breadcrumb file was asked for, or Epitaph is not started"
        case ENOTSUP:
            "there is no breadcrumb file: the database's file system cannot keep its blocks "
                + "aside, or SIGBUS is not among the signals"
        case EIO: "another process truncated the breadcrumb file: nothing is kept in it any more"
        case let number: "the breadcrumb file could not be made: errno \(number)"
        }
    }
}
