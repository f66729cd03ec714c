// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Watches the files of the machine's time zone and language: localtime(5), locale.conf(5).
struct ConfigurationFiles {
    private let directory: String
    private var timeZone: FileStamp?
    private var locales: [FileStamp?]

    /// - Parameter directory: `/etc`, except in tests.
    init(directory: String) {
        self.directory = directory
        timeZone = Self.stamp(of: directory + "/localtime")
        locales = Self.localeFiles.map { Self.stamp(of: directory + $0) }
    }

    private static let localeFiles = ["/locale.conf", "/default/locale"]

    var directories: [String] {
        [directory, directory + "/default"].filter { (try? Directory(opening: $0)) != nil }
    }

    mutating func changes() -> [SystemEvent] {
        var events: [SystemEvent] = []
        let zone = Self.stamp(of: directory + "/localtime")
        if zone != timeZone {
            timeZone = zone
            events.append(SystemEvent(.timeZone, .info, "the machine's time zone was changed"))
        }
        let languages = Self.localeFiles.map { Self.stamp(of: directory + $0) }
        if languages != locales {
            locales = languages
            events.append(SystemEvent(.locale, .info, "the machine's language was changed"))
        }
        return events
    }

    /// The stamp of the file and, if it is a symbolic link, of the link.
    private static func stamp(of path: String) -> FileStamp? {
        guard let directory = try? Directory(opening: path.parentPath),
            let status = try? directory.status(of: path.lastPathComponent)
        else { return nil }
        return status.stamp
    }
}
