// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Glibc

/// How severe the event of a breadcrumb is.
public enum BreadcrumbLevel: Sendable, CaseIterable {
    /// From least to most severe; C has the same as `EPITAPH_LEVEL_…`.
    case debug, info, warning, error, fatal

    fileprivate var number: epitaph_level {
        switch self {
        case .debug: EPITAPH_LEVEL_DEBUG
        case .info: EPITAPH_LEVEL_INFO
        case .warning: EPITAPH_LEVEL_WARNING
        case .error: EPITAPH_LEVEL_ERROR
        case .fatal: EPITAPH_LEVEL_FATAL
        }
    }
}

extension CrashReporter {
    /// Notes that something happened now. The latest ones (`CrashReporterOptions.breadcrumbLimit`)
    /// are in the report this process may leave, each with its time, to show what led up to a
    /// crash.
    ///
    ///     reporter.addBreadcrumb("slow answer from ledger-2", level: .warning, category: "http")
    ///     reporter.addBreadcrumb(
    ///         "query", level: .debug, category: "sql", attributes: ["rows": 17], type: "query")
    ///
    /// From any thread, any number at once: no lock, no system call, and without attributes no
    /// allocation. Each overwrites the oldest. In a scope (`withScope`) it is among the latest eight
    /// of the scope as well. Do not put in secrets: reports are kept on disk and may be sent.
    ///
    /// - Parameters:
    ///   - message: at most 256 bytes of UTF-8; a longer one is cut before a character, and marked.
    ///   - level: how serious it is.
    ///   - category: what it is about, at most 32 bytes; empty for nothing.
    ///   - attributes: what else there is to know. Names, values and the type have 248 bytes
    ///     together, of which each takes 4 for itself and a number 8. A string that is too long for
    ///     the rest is cut, and what finds no room is left out; both mark the breadcrumb as cut.
    ///   - type: of what kind it is, at most 32 bytes; empty for none.
    public func addBreadcrumb(
        _ message: String, level: BreadcrumbLevel = .info, category: String = "",
        attributes: [String: AttributeValue] = [:], type: String = ""
    ) {
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

    /// Why breadcrumbs are not written to the breadcrumb file, as a sentence; nil while they are.
    public var breadcrumbFileProblem: String? {
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
