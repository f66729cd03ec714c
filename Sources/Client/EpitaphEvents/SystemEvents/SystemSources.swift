// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Sources of system events; tests replace parts.
package struct SystemSources: Sendable {
    typealias Opening = @Sendable () throws(SystemError) -> FileDescriptor

    package var configurationDirectory = "/etc"
    /// The kernel's list of power supplies. If empty, they are not watched.
    package var powerSupplyDirectory = "/sys/class/power_supply"
    var openLinks: Opening = { () throws(SystemError) in try FileDescriptor.linkMessages() }
    var openDevices: Opening = { () throws(SystemError) in try FileDescriptor.deviceMessages() }
    var openClock: Opening = { () throws(SystemError) in try FileDescriptor.clockSteps() }
    var clockWasSet: @Sendable (FileDescriptor) -> Bool = { (try? $0.clockWasSet()) ?? false }

    package init() {}
}

/// An open source: the file to wait for, and how to read its events.
struct OpenSource {
    let file: FileDescriptor
    let read: () -> [SystemEvent]
}

extension SystemSources {
    func open(_ kinds: Set<SystemEvent.Kind>) -> (sources: [OpenSource], off: [SystemEvent]) {
        var sources: [OpenSource] = []
        var off: [SystemEvent] = []
        func add(
            _ wanted: Set<SystemEvent.Kind>, _ name: String,
            _ source: () throws(SystemError) -> OpenSource?
        ) {
            guard !wanted.isDisjoint(with: kinds) else { return }
            do throws(SystemError) {
                if let source = try source() {
                    sources.append(source)
                } else {
                    off.append(Self.off(name, because: "this machine has none"))
                }
            } catch {
                off.append(Self.off(name, because: error.description))
            }
        }
        add([.networkLink], "network links") { () throws(SystemError) in try links() }
        add([.powerSupply], "power supplies") { () throws(SystemError) in try supplies() }
        add([.clockStep], "clock steps") { () throws(SystemError) in try clock() }
        add([.timeZone, .locale], "time zone and language") { () throws(SystemError) in
            try settings()
        }
        return (sources, off)
    }

    private static func off(_ name: String, because reason: String) -> SystemEvent {
        SystemEvent(
            .sourceOff, .info, "\(name) are not watched: \(reason)", details: ["source": name])
    }

    private func links() throws(SystemError) -> OpenSource {
        let file = try openLinks()
        let table = Place(LinkTable())
        return OpenSource(file: file) {
            Self.messages(of: file).flatMap { LinkMessage.all(in: $0) }.compactMap {
                table.value.event(for: $0)
            }
        }
    }

    private func supplies() throws(SystemError) -> OpenSource? {
        guard let directory = try? Directory(opening: powerSupplyDirectory),
            let names = try? directory.list().names, !names.isEmpty
        else { return nil }
        let file = try openDevices()
        let table = Place(PowerSupplies())
        return OpenSource(file: file) {
            Self.messages(of: file).compactMap {
                table.value.event(for: PowerSupplies.properties(of: $0))
            }
        }
    }

    private func clock() throws(SystemError) -> OpenSource {
        let file = try openClock()
        let wasSet = clockWasSet
        return OpenSource(file: file) {
            wasSet(file)
                ? [SystemEvent(.clockStep, .info, "the clock of the time of day was set")] : []
        }
    }

    private func settings() throws(SystemError) -> OpenSource? {
        let files = Place(ConfigurationFiles(directory: configurationDirectory))
        let directories = files.value.directories
        guard !directories.isEmpty else { return nil }
        let file = try FileDescriptor.changes(in: directories)
        return OpenSource(file: file) {
            file.drain()
            return files.value.changes()
        }
    }

    /// At most a thousand messages. After lost messages, later ones still give the state.
    private static func messages(of file: FileDescriptor) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while messages.count < 1_000 {
            guard let message = try? file.nextKernelMessage() else { break }
            messages.append(message)
        }
        return messages
    }

    private final class Place<Value> {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}
