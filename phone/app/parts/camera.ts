// Scans a QR code with the camera, if the browser can read codes (BarcodeDetector). Otherwise the person pastes the code.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/t.ts';

type Detector = { detect: (image: HTMLVideoElement) => Promise<{ rawValue: string }[]> };
type Detecting = { BarcodeDetector?: new (options: { formats: string[] }) => Detector };

const EVERY_MS = 250;

export const canScan = (): boolean =>
  (globalThis as Detecting).BarcodeDetector !== undefined && navigator.mediaDevices !== undefined;

type Props = {
  onText: (text: string) => void;
  /** Called if there is no camera, or the person does not allow it. */
  onFault: () => void;
};

export function Camera({ onText, onFault }: Props): VNode {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const leaving = new AbortController();
    scan(video.current as HTMLVideoElement, leaving.signal).then(
      (text) => text !== null && onText(text),
      () => leaving.signal.aborted || onFault(),
    );
    return () => leaving.abort();
  }, []);
  return html`<video ref=${video} class="camera" muted playsinline aria-label=${t('What the camera sees')}></video>`;
}

/** @returns the text of the first code, or null if the person left the screen before. */
async function scan(video: HTMLVideoElement, leaving: AbortSignal): Promise<string | null> {
  const { BarcodeDetector } = globalThis as Detecting;
  if (BarcodeDetector === undefined) throw new Error('this browser reads no codes');
  const detector = new BarcodeDetector({ formats: ['qr_code'] });
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = stream;
    await video.play();
    while (!leaving.aborted) {
      const [code] = await detector.detect(video);
      if (code) return code.rawValue;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
