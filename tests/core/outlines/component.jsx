export default function App({ title }) {
  const onClick = () => null;
  return <button onClick={onClick}>{title}</button>;
}

export const Panel = ({ children }) => <div>{children}</div>;
