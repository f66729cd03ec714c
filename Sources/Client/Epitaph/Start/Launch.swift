// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphEvents
import EpitaphSystem
import EpitaphUpload
import EpitaphValues
import Synchronization

final class Launch: Sendable {
    let configuration: Epitaph.Configuration
    let reporter: CrashReporter
    let parts: RunningParts
    private let uploads = AtomicLazyReference<Uploads>()
    private let isStopped = Atomic(false)
    private let processID = ProcFileSystem.ownProcessID
    let lastSession = AwaitedValue<LastSession?>()
    let earlyCrashes = AwaitedValue<EarlyCrashes>()
    private let firstPass = AwaitedValue<Void>()

    init(_ configuration: Epitaph.Configuration) throws(Refusal) {
        self.configuration = configuration
        // Before this launch has a file of its own, and only if somebody waits for the result.
        if configuration.asksForCrashLoops { earlyCrashes.set(Self.countEarly(configuration)) }
        reporter = try CrashReporter(
            databasePath: configuration.databasePath, bundleID: configuration.bundleID,
            annotations: configuration.annotations,
            options: configuration.capture.clamped
                .marking(configuration.parts.systemEvents?.wantedSignals ?? []))
        // An earlier start in this process may have ended disabled.
        Epitaph.isCaptureEnabled = true
        parts = RunningParts(configuration, reporter: reporter)
    }

    private static func countEarly(_ configuration: Epitaph.Configuration) -> EarlyCrashes {
        EarlyCrashes(
            ofProgram: configuration.bundleID, in: configuration.databasePath,
            crashDirectory: configuration.capture.crashDirectory, by: configuration.crashLoop)
    }

    func goOn() {
        parts.problems.forEach(configuration.log)
        parts.watches.startSystemEvents(log: configuration.log)
        do throws(SystemError) {
            try BackgroundThread.start("epitaph-start") { self.lookBack() }
        } catch {
            configuration.log("reports of earlier launches are not made: \(error)")
            earlyCrashes.set(Self.countEarly(configuration))
            lastSession.set(nil)
            firstPass.set(())
        }
        let loop = earlyCrashes.value?.loop(by: configuration.crashLoop)
        if sendsFirst(in: loop) {
            _ = firstPass.wait(seconds: configuration.sendFirstTime.inSeconds)
        }
        if let loop { configuration.onCrashLoop?(loop) }
    }

    private func sendsFirst(in loop: CrashLoop?) -> Bool {
        guard configuration.destination != nil else { return false }
        return switch configuration.sendsEarlierReportsFirst {
        case .never: false
        case .inCrashLoop: loop != nil
        case .always: true
        }
    }

    func stop() {
        // In a forked child, the threads and what they wait for belong to the parent.
        guard ProcFileSystem.ownProcessID == processID else { return reporter.stop() }
        isStopped.store(true, ordering: .releasing)
        uploads.load()?.stop()
        parts.record(.lifecycle(LifecycleDetails(phase: .stopped)))
        parts.stop()
        reporter.stop()
    }

    private func lookBack() {
        let maySend = keepConsent()
        if !isStopped.load(ordering: .acquiring) { parts.start(reporter, sendsEvents: maySend) }
        // Before the dumps become reports.
        if earlyCrashes.value == nil { earlyCrashes.set(Self.countEarly(configuration)) }
        let found = configuration.processesEarlierDumps ? processDumps() : nil
        lastSession.set(found?.session)
        parts.noteEarlierLaunches(lastEnd: found?.session.run?.end.code)
        // The callback may ask for the last session, so that must be known first.
        if let found { tell(found) }
        if maySend { startUploads() } else { firstPass.set(()) }
        parts.handlers.look()
    }

    /// Stores in the database whether reports may be sent. If that fails, nothing is sent.
    private func keepConsent() -> Bool {
        guard let choice = configuration.uploadsEnabled else { return true }
        do throws(DatabaseError) {
            try reporter.setUploadsEnabled(choice)
            return true
        } catch {
            configuration.log("neither reports nor events are sent: \(error)")
            return false
        }
    }

    private struct Found {
        let crashes: [CrashSummary]
        let launches: EarlierCrashes
        let session: LastSession
    }

    private func processDumps() -> Found? {
        var crashes: [CrashSummary] = []
        do throws(DatabaseError) {
            let launches = try reporter.processIntermediateDumps(
                annotations: configuration.annotationsOfEarlierLaunches,
                telling: { crashes.append($0) },
                shouldStop: { self.isStopped.load(ordering: .acquiring) })
            return Found(
                crashes: crashes, launches: launches,
                session: reporter.lastSession(launches.lastLaunches))
        } catch {
            configuration.log("reports of earlier launches are not made: \(error)")
            return nil
        }
    }

    private func tell(_ found: Found) {
        // The callbacks may take long, so record the events first.
        for crash in found.crashes where crash.isCrash {
            parts.record(.crash(CrashDetails(crash)))
        }
        if let onEarlierCrash = configuration.onEarlierCrash {
            found.crashes.forEach(onEarlierCrash)
        }
        found.launches.problems.forEach(configuration.log)
        configuration.onEarlierLaunches?(found.launches)
    }

    private func startUploads() {
        do {
            guard let line = configuration.destination else { return firstPass.set(()) }
            let destination = try DestinationSpecification(line).destination()
            let begun = try reporter.startUploads(to: destination, options: configuration.uploads) {
                self.configuration.onUploads?($0)
                self.firstPass.set(())
                self.parts.handlers.look()
            }
            _ = uploads.storeIfNil(begun)
            // Another thread called stop before it could see these.
            if isStopped.load(ordering: .acquiring) { begun.stop() }
        } catch {
            configuration.log("reports are not sent: \(error)")
            firstPass.set(())
        }
    }
}

extension CrashReporter {
    fileprivate func lastSession(_ launches: [EarlierLaunch]) -> LastSession {
        let run = launches.first { !$0.isChild }
        guard case .crashed(let id?)? = run?.end else { return LastSession(run: run, crash: nil) }
        let crash = try? withDatabase { (database) throws(DatabaseError) in
            try database.asOwner { CrashSummary(of: id, bundleID: bundleID, in: database) }
        }
        return LastSession(run: run, crash: crash ?? nil)
    }
}

extension CrashDetails {
    fileprivate init(_ crash: CrashSummary) {
        self.init(
            reportID: crash.report, signal: crash.signal, headline: crash.headline,
            signature: crash.signature)
    }
}

extension Epitaph.Configuration {
    fileprivate var asksForCrashLoops: Bool {
        onCrashLoop != nil || sendsEarlierReportsFirst == .inCrashLoop
    }
}

extension CrashReporterOptions {
    /// Clamped to the limits that epitaph.h enforces.
    var clamped: CrashReporterOptions {
        var options = self
        options.breadcrumbLimit = breadcrumbLimit.clamped(to: 0...1024)
        if breadcrumbFileBytes != 0 {
            options.breadcrumbFileBytes = breadcrumbFileBytes.clamped(to: 8_192...(16 << 20))
        }
        return options
    }

    fileprivate func marking(_ others: [Signal]) -> CrashReporterOptions {
        var options = self
        options.markedSignals += others.filter { !markedSignals.contains($0) }
        return options
    }
}
