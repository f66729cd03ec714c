// SPDX-License-Identifier: Apache-2.0

import CEpitaph

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
    ///
    /// From any thread, any number at once: no lock, no allocation, no system call. Each overwrites
    /// the oldest. Do not put in secrets: reports are kept on disk and may be sent.
    ///
    /// - Parameters:
    ///   - message: at most 256 bytes of UTF-8; a longer one is cut before a character, and marked.
    ///   - level: how serious it is.
    ///   - category: what it is about, at most 32 bytes; empty for nothing.
    public func addBreadcrumb(
        _ message: String, level: BreadcrumbLevel = .info, category: String = ""
    ) {
        var (message, category) = (message, category)
        category.withUTF8 { category in
            message.withUTF8 { message in
                epitaph_breadcrumb_add_bytes(
                    level.number, UnsafeRawPointer(category.baseAddress)?.chars, category.count,
                    UnsafeRawPointer(message.baseAddress)?.chars, message.count)
            }
        }
    }
}

extension UnsafeRawPointer {
    /// The same bytes as C's `char`.
    fileprivate var chars: UnsafePointer<CChar> { assumingMemoryBound(to: CChar.self) }
}
