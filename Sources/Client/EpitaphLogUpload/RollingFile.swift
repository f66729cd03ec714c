// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The file of a `RollingLog`. Whoever rolls it holds its lock (flock(2)) and looks again whether
/// the name is still this file's.
struct RollingFile: Sendable {
    private struct Opened: Sendable {
        let file: FileDescriptor
        let identity: FileIdentity
        let birth: Timestamp
    }

    private let directoryPath: String
    private let name: String
    private let options: RollingLogOptions
    private let clock = SystemWallClock()
    private var directory: Directory?
    private var opened: Opened?
    /// Whether a full disk cut off the last line.
    private var isTorn = false
    /// Nil unless the file could not be rolled.
    private var nextTry: ContinuousClock.Instant?
    private var troubles: [Trouble: SystemError] = [:]
    /// When a sentence was said last. A few sentences: neither lines nor new names are in them.
    private var said: [String: ContinuousClock.Instant] = [:]

    private static let pause = Duration.seconds(60)
    private static let silence = Duration.seconds(3_600)

    /// In the order of what they cost.
    private enum Trouble: CaseIterable {
        case writing, naming, rolling
    }

    /// - Throws: if the file cannot be opened.
    init(_ path: String, _ options: RollingLogOptions) throws(SystemError) {
        directoryPath = path.parentPath
        name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        self.options = options
        _ = try current()
    }

    mutating func append(_ draft: LogDraft) -> Bool {
        do throws(SystemError) {
            let now = clock.now()
            let line = (isTorn ? [0x0a] : []) + draft.line(options.form, at: now)
            var (target, sizeBytes) = try current()
            if isDue(target, sizeBytes, adding: line.count, now), roll() {
                (target, sizeBytes) = try current()
            }
            isTorn = true
            // One call: lines of several processes do not mix.
            var sink = FileSink(target.file)
            try sink.append(line)
            isTorn = false
            troubles[.writing] = nil
            return true
        } catch {
            troubles[.writing] = error
            return false
        }
    }

    /// Why the last line was not written, or is not where it should be.
    var problem: String? {
        for trouble in Trouble.allCases {
            guard let error = troubles[trouble] else { continue }
            let why = "\(error.reason) (\(error.call))"
            let path = directoryPath == "/" ? "/\(name)" : "\(directoryPath)/\(name)"
            switch trouble {
            case .writing: return "lines for \(path) are lost: \(why)"
            case .naming:
                return "\(path) is gone and cannot be created again: \(why); "
                    + "lines go on into the file that had the name"
            case .rolling:
                return "\(path) cannot be rolled and goes on growing: \(why); "
                    + "tried again each minute"
            }
        }
        return nil
    }

    /// The problem, once: again only if it persists or returns an hour later.
    mutating func takeSentence() -> String? {
        guard let problem else { return nil }
        let now = ContinuousClock.now
        if let last = said[problem], now - last < Self.silence { return nil }
        said[problem] = now
        return problem
    }

    /// The file that has the name now, since anybody may have renamed the last one, and its size.
    /// Where none can be had, lines go on into the last one.
    private mutating func current() throws(SystemError) -> (Opened, sizeBytes: Int) {
        if let opened, let status = try? directory?.status(of: name),
            status.identity == opened.identity
        {
            troubles[.naming] = nil
            return (opened, status.sizeBytes)
        }
        do throws(SystemError) {
            // By its path, because it may be another one as well.
            let directory = try Directory(opening: directoryPath)
            let file = try directory.openForAppending(name, mode: 0o640)
            let status = try file.fileStatus()
            let made = Opened(
                file: file, identity: status.identity,
                birth: file.birth ?? status.modificationTime)
            (self.directory, opened) = (directory, made)
            troubles[.naming] = nil
            return (made, status.sizeBytes)
        } catch {
            guard let opened else { throw error }
            troubles[.naming] = error
            return (opened, try opened.file.fileStatus().sizeBytes)
        }
    }

    private func isDue(
        _ opened: Opened, _ sizeBytes: Int, adding count: Int, _ now: Timestamp
    ) -> Bool {
        guard sizeBytes > 0 else { return false }
        let age = now.seconds(since: opened.birth)
        return options.sizeLimitBytes > 0 && sizeBytes + count > options.sizeLimitBytes
            || options.ageLimit > .zero && age >= options.ageLimit.inSeconds
    }

    /// Returns whether the file was rolled, by whomever.
    mutating func roll() -> Bool {
        if let nextTry, ContinuousClock.now < nextTry { return false }
        do throws(SystemError) {
            let (opened, sizeBytes) = try current()
            guard sizeBytes > 0, let directory else { return false }
            // Otherwise another one is rolling it.
            guard try opened.file.tryLocking(.exclusive) else { return false }
            defer { opened.file.unlock() }
            if try directory.status(of: name)?.identity == opened.identity {
                let rolled = try RolledNames(of: name, in: directory)
                try directory.rename(name, toFree: rolled.next(at: clock.now()))
                rolled.removeOldest(keeping: options.keptFiles - 1)
            }
            nextTry = nil
            troubles[.rolling] = nil
            return true
        } catch {
            troubles[.rolling] = error
            nextTry = ContinuousClock.now + Self.pause
            return false
        }
    }
}

/// The names that a `RollingLog` gives: `app.log-20261121T031405Z`, then with `.1` and so on.
struct RolledNames {
    private let start: String
    private let directory: Directory
    /// The oldest first.
    private let present: [(time: String, number: Int)]

    init(of name: String, in directory: Directory) throws(SystemError) {
        start = name + "-"
        self.directory = directory
        present = try directory.list().names.compactMap { [start] in
            Self.order(of: $0, start)
        }.sorted { $0 < $1 }
    }

    /// Later than all others, also if the clock was set back.
    fileprivate func next(at time: Timestamp) -> String {
        let text = UTCTime.compactTimestamp(time)
        guard let last = present.last, last.time >= text else { return start + text }
        return name((last.time, last.number + 1))
    }

    private func name(_ order: (time: String, number: Int)) -> String {
        start + order.time + (order.number == 0 ? "" : ".\(order.number)")
    }

    /// Nil for any other name.
    private static func order(of name: String, _ start: String) -> (time: String, number: Int)? {
        guard name.hasPrefix(start) else { return nil }
        let parts = name.dropFirst(start.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let shape = parts[0].map { $0.isASCII && $0.isNumber ? "0" : $0 }
        guard String(shape) == "00000000T000000Z" else { return nil }
        guard parts.count == 2 else { return (String(parts[0]), 0) }
        // Only as written here: `.01` is another file.
        guard let number = Int(parts[1]), number > 0, "\(number)" == parts[1] else { return nil }
        return (String(parts[0]), number)
    }

    /// One that is being sent stays.
    fileprivate func removeOldest(keeping limit: Int) {
        guard limit >= 0 else { return }
        for order in present.dropLast(limit) {
            let name = name(order)
            guard let file = try? directory.openForReading(name),
                (try? file.fileStatus().kind) == .regular,
                (try? file.tryLocking(.exclusive)) == true
            else { continue }
            _ = try? directory.remove(name)
        }
    }
}
