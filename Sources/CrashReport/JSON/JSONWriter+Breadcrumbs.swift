// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// What led up to the crash.
extension JSONWriter {
    mutating func write(breadcrumbs snapshot: ProcessSnapshot) {
        array(.breadcrumbs, TimedBreadcrumb.all(of: snapshot)) { writer, timed in
            let breadcrumb = timed.breadcrumb
            writer.object { writer in
                writer.member(.number, breadcrumb.number)
                writer.member(.time, timed.clockTime)
                writer.member(.uptimeSeconds, nanoseconds: breadcrumb.uptimeNanoseconds)
                writer.member(.secondsBefore, seconds: timed.secondsBefore)
                writer.member(.level, breadcrumb.level.word)
                if !breadcrumb.category.isEmpty { writer.member(.category, breadcrumb.category) }
                writer.member(.message, breadcrumb.message)
                writer.member(.isCut, breadcrumb.isCut)
            }
        }
    }
}
